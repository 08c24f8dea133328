import type { Steps } from '#core/counting';
import { addEvent, addSpan } from '../add-found.ts';
import type { Into } from '../found.ts';
import { EVENT_NAMES, NO_ATTRIBUTES, nameOfEvent } from '../mapping.ts';
import { readAttributes, readBody } from './attributes.ts';
import type { Wire } from './wire.ts';

const LOG_RECORD = { time: 1, body: 5, attributes: 6, observed: 11, name: 12 } as const;
const SPAN = { traceId: 1, name: 5, start: 7, end: 8, attributes: 9, events: 11 } as const;
const SPAN_EVENT = { time: 1, name: 2, attributes: 3 } as const;

/** Reads the attributes after the name, because those of other records are not needed unless they name a flag. */
export function* readRecord(wire: Wire, end: number, into: Into): Steps<boolean> {
  if (into.length.isDone(wire.beginItem())) yield;
  const namesFlag = wire.mentionsFlag(end);
  const start = wire.at;
  let name = '';
  let [at, observedAt, startOfBody, endOfBody] = [0, 0, 0, 0];
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === LOG_RECORD.name) name = wire.text();
    else if (field === LOG_RECORD.time) at = wire.time();
    else if (field === LOG_RECORD.observed) observedAt = wire.time();
    else if (field === LOG_RECORD.body) {
      endOfBody = wire.end();
      startOfBody = wire.at;
      wire.at = endOfBody;
    } else wire.skip();
  }
  if (name !== '' && !EVENT_NAMES.has(name) && !namesFlag) return false;
  wire.at = start;
  const attributes = readAttributes(wire, { field: LOG_RECORD.attributes, end }) ?? NO_ATTRIBUTES;
  if (name === '') name = nameOfEvent(attributes);
  if (!EVENT_NAMES.has(name) && !namesFlag) return false;
  wire.at = startOfBody;
  const body = readBody(wire, endOfBody);
  wire.at = end;
  return addEvent({ name, at: at || observedAt, attributes, body }, into);
}

/** A span may have several events, or be an evaluation itself. */
export function* readSpan(wire: Wire, end: number, into: Into): Steps<boolean> {
  if (into.length.isDone(wire.beginItem())) yield;
  const namesFlag = wire.mentionsFlag(end);
  const start = wire.at;
  const firstEvent = into.found.length;
  let name = '';
  let [startedAt, endedAt] = [0, 0];
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === SPAN.events) {
      if (into.length.isDone(wire.beginItem())) yield;
      into.cursor.nextInner();
      readSpanEvent(wire, wire.end(), { into, namesFlag });
    } else if (field === SPAN.name) name = wire.text();
    // Not needed, but a log record has its time there, and would be an odd span that is ignored.
    else if (field === SPAN.traceId) wire.at = wire.end();
    else if (field === SPAN.start) startedAt = wire.time();
    else if (field === SPAN.end) endedAt = wire.time();
    else wire.skip();
  }
  into.cursor.leaveInner();
  if (namesFlag || EVENT_NAMES.has(name)) {
    wire.at = start;
    const attributes = readAttributes(wire, { field: SPAN.attributes, end }) ?? NO_ATTRIBUTES;
    addSpan({ name, at: startedAt || endedAt, attributes, firstEvent }, into);
  }
  return into.found.length > firstEvent;
}

function readSpanEvent(
  wire: Wire,
  end: number,
  { into, namesFlag }: { readonly into: Into; readonly namesFlag: boolean },
): void {
  const start = wire.at;
  let name = '';
  let at = 0;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === SPAN_EVENT.name) name = wire.text();
    else if (field === SPAN_EVENT.time) at = wire.time();
    else wire.skip();
  }
  if (!namesFlag && !EVENT_NAMES.has(name)) return;
  wire.at = start;
  const attributes = readAttributes(wire, { field: SPAN_EVENT.attributes, end }) ?? NO_ATTRIBUTES;
  addEvent({ name, at, attributes }, into);
}
