import { StepLength, type Steps } from '#core/counting';
import {
  Budget,
  type Found,
  type FoundInBody,
  type Into,
  MalformedBody,
  TooManyEvaluations,
  Unclear,
} from '../found.ts';
import { NO_ATTRIBUTES } from '../mapping.ts';
import type { Cursor } from '../place.ts';
import { NO_SCOPE, scopeOf } from '../interpreting/series.ts';
import type { OtlpSignal } from '../signals.ts';
import { readAttributes } from './attributes.ts';
import { readRecord, readSpan } from './read-events.ts';
import { readMetric } from './read-metric.ts';
import { Wire } from './wire.ts';

/** Field numbers of opentelemetry-proto: requests, resources and scopes of all signals have the same form. */
export const REQUEST = { resources: 1 } as const;
export const OF_RESOURCE = { resource: 1, scopes: 2 } as const;
export const RESOURCE = { attributes: 1 } as const;
export const OF_SCOPE = { scope: 1, items: 2 } as const;
const SCOPE = { name: 1, version: 2 } as const;

/** Adds the evaluations of a log record, span or metric. Returns false if it holds none. */
type ReadItem = (wire: Wire, end: number, into: Into) => Steps<boolean>;

const READ_ITEM: Readonly<Record<OtlpSignal, ReadItem>> = {
  logs: readRecord,
  traces: readSpan,
  metrics: readMetric,
};

type Reading = Pick<Into, 'budget' | 'length' | 'cursor'> & {
  readonly readItem: ReadItem;
  readonly hasCounters: boolean;
  readonly inBody: FoundInBody;
};

export function* readProtobuf(signal: OtlpSignal, body: Uint8Array, cursor: Cursor): Steps<FoundInBody> {
  const inBody: FoundInBody = { resources: [], ignored: 0, unclear: new Unclear() };
  const [budget, length] = [new Budget(), new StepLength()];
  const [readItem, hasCounters] = [READ_ITEM[signal], signal === 'metrics'];
  const reading = { readItem, hasCounters, inBody, budget, length, cursor };
  try {
    yield* readResources(new Wire(body), body.length, reading);
  } catch (cause) {
    if (cause instanceof TooManyEvaluations || cause instanceof MalformedBody) throw cause;
    // Nothing but bytes was read, so each other error is one of theirs.
    throw new MalformedBody('The body is not protobuf of this message.', { cause });
  }
  return inBody;
}

function* readResources(wire: Wire, whole: number, reading: Reading): Steps<void> {
  const { resources } = REQUEST;
  for (let end = wire.nextOf(resources, whole); end !== 0; end = wire.nextOf(resources, whole)) {
    if (reading.length.isDone(wire.beginItem())) yield;
    reading.cursor.nextResource();
    yield* readResource(wire, end, reading);
  }
}

function* readResource(wire: Wire, end: number, reading: Reading): Steps<void> {
  const start = wire.at;
  const found: Found[] = [];
  const { scopes, resource } = OF_RESOURCE;
  for (let ofScope = wire.nextOf(scopes, end); ofScope !== 0; ofScope = wire.nextOf(scopes, end)) {
    if (reading.length.isDone(wire.beginItem())) yield;
    reading.cursor.nextScope();
    yield* readItems(wire, ofScope, { reading, found });
  }
  if (found.length === 0) return;
  wire.at = start;
  let attributes: ReturnType<typeof readAttributes>;
  for (let of = wire.nextOf(resource, end); of !== 0; of = wire.nextOf(resource, end))
    attributes = readAttributes(wire, { field: RESOURCE.attributes, end: of }, attributes);
  reading.inBody.resources.push({ resource: attributes ?? NO_ATTRIBUTES, found });
}

function* readItems(
  wire: Wire,
  end: number,
  { reading, found }: { readonly reading: Reading; readonly found: Found[] },
): Steps<void> {
  const { readItem, hasCounters, inBody, budget, length, cursor } = reading;
  const scope = hasCounters ? readScope(wire, end) : NO_SCOPE;
  // Lists the members one by one: spreading another object took most of the CPU of a body with many scopes.
  const into = { found, budget, length, cursor, unclear: inBody.unclear, scope };
  const { items } = OF_SCOPE;
  for (let ofItem = wire.nextOf(items, end); ofItem !== 0; ofItem = wire.nextOf(items, end)) {
    into.cursor.nextItem();
    if (yield* readItem(wire, ofItem, into)) continue;
    inBody.ignored += 1;
    wire.at = ofItem;
  }
}

/** The name and version of a scope, which may be behind its items. */
export function readScope(wire: Wire, end: number): Into['scope'] {
  const start = wire.at;
  let [name, version] = ['', ''];
  for (let of = wire.nextOf(OF_SCOPE.scope, end); of !== 0; of = wire.nextOf(OF_SCOPE.scope, end))
    for (let field = wire.next(of); field !== 0; field = wire.next(of)) {
      if (field === SCOPE.name) name = wire.text();
      else if (field === SCOPE.version) version = wire.text();
      else wire.skip();
    }
  wire.at = start;
  return scopeOf(name, version);
}
