import { EVENT_NAMES, EVENT_NAME_ATTRIBUTE, NO_ATTRIBUTES } from '../mapping.ts';
import { readAttributes } from './attributes.ts';
import type { Into } from '../found.ts';
import { type Wire, forEach } from './wire.ts';

const LOG_RECORD = { time: 1, attributes: 6, observed: 11, name: 12 } as const;
const SPAN = { events: 11 } as const;
const SPAN_EVENT = { time: 1, name: 2, attributes: 3 } as const;

/** Reads the attributes after the name, because those of other records are not needed. */
export function readRecord(wire: Wire, end: number, { found, budget }: Into): boolean {
  const start = wire.at;
  let name = '';
  let at = 0;
  let observedAt = 0;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === LOG_RECORD.name) name = wire.text();
    else if (field === LOG_RECORD.time) at = wire.time();
    else if (field === LOG_RECORD.observed) observedAt = wire.time();
    else wire.skip();
  }
  if (name !== '' && !EVENT_NAMES.has(name)) return false;
  wire.at = start;
  const attributes = readAttributes(wire, { field: LOG_RECORD.attributes, end });
  if (name === '' && !EVENT_NAMES.has(String(attributes?.get(EVENT_NAME_ATTRIBUTE)))) return false;
  budget.add(found, { at: at || observedAt, attributes: attributes ?? NO_ATTRIBUTES });
  return true;
}

/** A span may have several events. */
export function readSpan(wire: Wire, end: number, into: Into): boolean {
  const before = into.found.length;
  forEach(wire, { field: SPAN.events, end }, (endOfEvent) => {
    readSpanEvent(wire, endOfEvent, into);
  });
  return into.found.length > before;
}

function readSpanEvent(wire: Wire, end: number, { found, budget }: Into): void {
  const start = wire.at;
  let name = '';
  let at = 0;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === SPAN_EVENT.name) name = wire.text();
    else if (field === SPAN_EVENT.time) at = wire.time();
    else wire.skip();
  }
  if (!EVENT_NAMES.has(name)) return;
  wire.at = start;
  const attributes = readAttributes(wire, { field: SPAN_EVENT.attributes, end });
  budget.add(found, { at, attributes: attributes ?? NO_ATTRIBUTES });
}
