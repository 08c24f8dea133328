import { Budget, type Found, type FoundInBody, type Into, Unclear } from '../found.ts';
import { NO_ATTRIBUTES } from '../mapping.ts';
import type { Cursor } from '../place.ts';
import { scopeOf } from '../series.ts';
import type { OtlpSignal } from '../signals.ts';
import { readAttributes } from './attributes.ts';
import { readRecord, readSpan } from './read-events.ts';
import { readMetric } from './read-metric.ts';
import { Wire, forEach } from './wire.ts';

/** Field numbers of opentelemetry-proto: requests, resources and scopes of all signals have the same form. */
const REQUEST = { resources: 1 } as const;
const OF_RESOURCE = { resource: 1, scopes: 2 } as const;
const RESOURCE = { attributes: 1 } as const;
const OF_SCOPE = { scope: 1, items: 2 } as const;
const SCOPE = { name: 1, version: 2 } as const;

/** Adds the evaluations of a log record, span or metric. Returns false if it holds none. */
type ReadItem = (wire: Wire, end: number, into: Into) => boolean;

const READ_ITEM: Readonly<Record<OtlpSignal, ReadItem>> = {
  logs: readRecord,
  traces: readSpan,
  metrics: readMetric,
};

export function readProtobuf(signal: OtlpSignal, body: Uint8Array, cursor: Cursor): FoundInBody {
  const inBody: FoundInBody = { resources: [], ignored: 0, unclear: new Unclear() };
  const budget = new Budget();
  Wire.read(body, (wire, whole) => {
    forEach(wire, { field: REQUEST.resources, end: whole }, (end) => {
      const hasCounters = signal === 'metrics';
      cursor.nextResource();
      readResource(wire, end, { readItem: READ_ITEM[signal], hasCounters, inBody, budget, cursor });
    });
  });
  return inBody;
}

type Reading = {
  readonly readItem: ReadItem;
  readonly hasCounters: boolean;
  readonly inBody: FoundInBody;
  readonly budget: Budget;
  readonly cursor: Cursor;
};

function readResource(wire: Wire, end: number, { readItem, hasCounters, ...reading }: Reading): void {
  const { inBody, budget, cursor } = reading;
  const start = wire.at;
  const found: Found[] = [];
  forEach(wire, { field: OF_RESOURCE.scopes, end }, (endOfScope) => {
    cursor.nextScope();
    const scope = hasCounters ? readScope(wire, endOfScope) : '';
    forEach(wire, { field: OF_SCOPE.items, end: endOfScope }, (endOfItem) => {
      cursor.nextItem();
      if (readItem(wire, endOfItem, { found, budget, unclear: inBody.unclear, cursor, scope })) return;
      inBody.ignored += 1;
      wire.at = endOfItem;
    });
  });
  if (found.length === 0) return;
  wire.at = start;
  let attributes: ReturnType<typeof readAttributes>;
  forEach(wire, { field: OF_RESOURCE.resource, end }, (endOfResource) => {
    attributes = readAttributes(wire, { field: RESOURCE.attributes, end: endOfResource }, attributes);
  });
  inBody.resources.push({ resource: attributes ?? NO_ATTRIBUTES, found });
}

/** The name and version of a scope, which may be behind its items. */
function readScope(wire: Wire, end: number): Into['scope'] {
  const start = wire.at;
  let [name, version] = ['', ''];
  forEach(wire, { field: OF_SCOPE.scope, end }, (endOfScope) => {
    for (let field = wire.next(endOfScope); field !== 0; field = wire.next(endOfScope)) {
      if (field === SCOPE.name) name = wire.text();
      else if (field === SCOPE.version) version = wire.text();
      else wire.skip();
    }
  });
  wire.at = start;
  return scopeOf(name, version);
}
