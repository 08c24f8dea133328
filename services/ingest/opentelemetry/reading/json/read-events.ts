import type { Steps } from '#core/counting';
import { addEvent, addSpan } from '../add-found.ts';
import type { Into } from '../found.ts';
import { EVENT_NAMES, nameOfEvent } from '../mapping.ts';
import { attributesOf, bodyOf, mentionsFlag } from './attributes.ts';
import { type Fields, fieldsOf, listOf, optionalFields, textOf, timeOf } from './fields.ts';

export function* readRecord(record: Fields, into: Into): Steps<boolean> {
  if (into.length.isDone()) yield;
  const { eventName, timeUnixNano, observedTimeUnixNano } = record;
  let name = textOf(eventName);
  if (name !== '' && !EVENT_NAMES.has(name) && !mentionsFlag(record)) return false;
  const attributes = attributesOf(record);
  if (name === '') name = nameOfEvent(attributes);
  const at = timeOf(timeUnixNano) || timeOf(observedTimeUnixNano);
  return addEvent({ name, at, attributes, body: bodyOf(optionalFields(record['body'])) }, into);
}

export function* readSpan(span: Fields, into: Into): Steps<boolean> {
  if (into.length.isDone()) yield;
  const firstEvent = into.found.length;
  for (const event of listOf(span['events'])) {
    if (into.length.isDone()) yield;
    into.cursor.nextInner();
    const fields = fieldsOf(event);
    const { timeUnixNano } = fields;
    const name = textOf(fields['name']);
    if (EVENT_NAMES.has(name) || mentionsFlag(fields))
      addEvent({ name, at: timeOf(timeUnixNano), attributes: attributesOf(fields) }, into);
  }
  into.cursor.leaveInner();
  const name = textOf(span['name']);
  if (EVENT_NAMES.has(name) || mentionsFlag(span)) {
    const at = timeOf(span['startTimeUnixNano']) || timeOf(span['endTimeUnixNano']);
    addSpan({ name, at, attributes: attributesOf(span), firstEvent }, into);
  }
  return into.found.length > firstEvent;
}
