import type { Steps } from '#core/counting';
import type { Scope } from '../found.ts';
import { type Attributes, EVALUATION_METRICS, NO_ATTRIBUTES } from '../mapping.ts';
import { readAttributes, readSeriesAttributes } from '../protobuf/attributes.ts';
import { POINT, readHead, readKind } from '../protobuf/read-metric.ts';
import { OF_RESOURCE, OF_SCOPE, REQUEST, RESOURCE, readScope } from '../protobuf/read-protobuf.ts';
import { Wire } from '../protobuf/wire.ts';
import { kindOfMetric } from '../recognise.ts';
import {
  type Counting,
  type HowKnown,
  type KnownBody,
  type KnownOptions,
  addResource,
  createBodyCounting,
} from './count-body.ts';
import type { KnownPoints } from './known-points.ts';
import { type KnownMetric, OTHER_FORM, type PointCountsOptions, type PointTimes } from './point-counts.ts';
import { PointReader } from './point-reader.ts';

/** Counts a body, see `CountBody`. */
export type ReadKnown = (
  body: Uint8Array,
  options: KnownOptions,
  how: HowKnown,
) => Steps<KnownBody | undefined>;

/** So that it has far fewer fields than a resource may have. */
const MAX_RESOURCE_BYTES = 4096;

/**
 * Reads metrics in protobuf whose evaluations are points of counters, as most senders write them: the same bytes of attributes come
 * again and again, and stand for the same evaluation. The general path (`readOtlp`, `aggregateEvaluations`) decides about all others, and
 * both count the same.
 */
export function createKnownReader(known: KnownPoints): ReadKnown {
  const countBody = createBodyCounting(known);
  return (body, options, how) => {
    const wire = new Wire(body);
    const readAll = ({ length, points, ofToken, found, mostResources }: Counting): Steps<void> => {
      const reader = new PointReader(body, points, length);
      return readResources(body.length, { length, points, ofToken, found, mostResources, wire, reader });
    };
    const attributesIn = (start: number, end: number): Attributes => attributesAt(wire, start, end);
    const seriesIn: PointCountsOptions['seriesIn'] = (start, end) => seriesAt(wire, start, end);
    return countBody({ body, attributesIn, seriesIn, readAll }, options, how);
  };
}

type Reading = Counting & { readonly wire: Wire; readonly reader: PointReader };

function* readResources(whole: number, reading: Reading): Steps<void> {
  const { wire, length } = reading;
  const { resources } = REQUEST;
  for (let end = wire.nextOf(resources, whole); end !== 0; end = wire.nextOf(resources, whole)) {
    if (length.isDone(wire.beginItem())) yield;
    yield* readResource(end, reading);
  }
}

function* readResource(end: number, reading: Reading): Steps<void> {
  const { wire, length, points, found } = reading;
  const start = wire.at;
  const resource = readAttributesOf(wire, end);
  wire.at = start;
  const times: PointTimes = [];
  points.beginResource(resource, times);
  const { scopes } = OF_RESOURCE;
  for (let ofScope = wire.nextOf(scopes, end); ofScope !== 0; ofScope = wire.nextOf(scopes, end)) {
    if (length.isDone(wire.beginItem())) yield;
    yield* readMetrics(ofScope, reading);
  }
  addResource(found, { resource, found: times }, reading.mostResources);
}

function* readMetrics(end: number, reading: Reading): Steps<void> {
  const { wire, length, reader, points, found } = reading;
  const scope = readScope(wire, end);
  const { items } = OF_SCOPE;
  for (let ofItem = wire.nextOf(items, end); ofItem !== 0; ofItem = wire.nextOf(items, end)) {
    if (length.isDone(wire.beginItem())) yield;
    const metric = metricIn(ofItem, scope, reading);
    if (metric === undefined) found.ignored += 1;
    else {
      points.beginMetric(metric);
      for (let at = metric.start; at < metric.end;) {
        at = reader.read(at, metric.end);
        if (at < metric.end) yield;
      }
    }
    wire.at = ofItem;
  }
}

function readAttributesOf(wire: Wire, end: number): Attributes {
  const { resource } = OF_RESOURCE;
  let attributes: ReturnType<typeof readAttributes>;
  for (let of = wire.nextOf(resource, end); of !== 0; of = wire.nextOf(resource, end)) {
    if (of - wire.at > MAX_RESOURCE_BYTES) throw OTHER_FORM;
    attributes = readAttributes(wire, { field: RESOURCE.attributes, end: of }, attributes);
  }
  return attributes ?? NO_ATTRIBUTES;
}

/** Reads the attributes of a point from bytes that hold nothing else. */
function attributesAt(wire: Wire, start: number, end: number): Attributes {
  wire.beginItem();
  wire.at = start;
  return readAttributes(wire, { field: POINT.attributes, end }) ?? NO_ATTRIBUTES;
}

function seriesAt(wire: Wire, start: number, end: number): ReturnType<typeof readSeriesAttributes> {
  wire.beginItem();
  wire.at = start;
  return readSeriesAttributes(wire, { field: POINT.attributes, end });
}

type MetricPlace = KnownMetric & { readonly start: number; readonly end: number };

/** The metric that ends at `end`, if its points are evaluations; undefined if it has none. */
function metricIn(end: number, scope: Scope, { wire, ofToken }: Reading): MetricPlace | undefined {
  const namesFlag = wire.mentionsFlag(end);
  const { name, isSum, startOfData, endOfData } = readHead(wire, end);
  const ofMetric = kindOfMetric(name);
  if (endOfData === 0 || ofMetric === 'repeating') return undefined;
  const counted = EVALUATION_METRICS.get(name);
  if (counted === undefined) {
    if (isSum && namesFlag) throw OTHER_FORM;
    return undefined;
  }
  wire.at = startOfData;
  const kind = isSum ? readKind(wire, endOfData) : 'other';
  return { name, kind, scope, known: ofToken[counted], start: startOfData, end: endOfData };
}
