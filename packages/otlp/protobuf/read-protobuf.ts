import { Budget, type Found, type FoundInBody, type Into } from '../found.ts';
import { NO_ATTRIBUTES } from '../mapping.ts';
import type { OtlpSignal } from '../signals.ts';
import { readAttributes } from './attributes.ts';
import { readRecord, readSpan } from './read-events.ts';
import { readMetric } from './read-metric.ts';
import { Wire, forEach } from './wire.ts';

/** Field numbers of opentelemetry-proto: requests, resources and scopes of all signals have the same form. */
const REQUEST = { resources: 1 } as const;
const OF_RESOURCE = { resource: 1, scopes: 2 } as const;
const RESOURCE = { attributes: 1 } as const;
const SCOPE = { items: 2 } as const;

/** Adds the evaluations of a log record, span or metric. Returns false if it holds none. */
type ReadItem = (wire: Wire, end: number, into: Into) => boolean;

const READ_ITEM: Readonly<Record<OtlpSignal, ReadItem>> = {
  logs: readRecord,
  traces: readSpan,
  metrics: readMetric,
};

export function readProtobuf(signal: OtlpSignal, body: Uint8Array): FoundInBody {
  const inBody: FoundInBody = { resources: [], ignored: 0 };
  const budget = new Budget();
  Wire.read(body, (wire, whole) => {
    forEach(wire, { field: REQUEST.resources, end: whole }, (end) => {
      readResource(wire, end, { readItem: READ_ITEM[signal], inBody, budget });
    });
  });
  return inBody;
}

type Reading = { readonly readItem: ReadItem; readonly inBody: FoundInBody; readonly budget: Budget };

function readResource(wire: Wire, end: number, { readItem, inBody, budget }: Reading): void {
  const start = wire.at;
  const found: Found[] = [];
  forEach(wire, { field: OF_RESOURCE.scopes, end }, (endOfScope) => {
    forEach(wire, { field: SCOPE.items, end: endOfScope }, (endOfItem) => {
      if (readItem(wire, endOfItem, { found, budget })) return;
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
