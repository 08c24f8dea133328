import {
  type AggregateOptions,
  type AggregatedEvaluations,
  type KnownSums,
  StepLength,
  type Steps,
  createKnownCounting,
} from '#core/counting';
import { type Scope, Unclear } from '../found.ts';
import type { EvaluationScope } from '../interpreting/evaluations.ts';
import { type Attributes, EVALUATION_METRICS, NO_ATTRIBUTES } from '../mapping.ts';
import { readAttributes, readSeriesAttributes } from '../protobuf/attributes.ts';
import { POINT, readHead, readKind } from '../protobuf/read-metric.ts';
import { OF_RESOURCE, OF_SCOPE, REQUEST, RESOURCE, readScope } from '../protobuf/read-protobuf.ts';
import { Wire } from '../protobuf/wire.ts';
import { kindOfMetric } from '../recognise.ts';
import type { KnownOfToken, KnownPoints } from './known-points.ts';
import {
  type KnownMetric,
  OTHER_FORM,
  PointCounts,
  type PointCountsOptions,
  type PointTimes,
} from './point-counts.ts';
import { PointReader } from './point-reader.ts';

export type KnownOptions = AggregateOptions & { readonly scope: EvaluationScope & { readonly id: string } };

/** What `FoundInBody` has of a body whose evaluations are counted already. */
export type KnownFound = {
  readonly resources: { readonly resource: Attributes; readonly found: PointTimes }[];
  /** Metrics without evaluations. */
  ignored: number;
  readonly unclear: Unclear;
};

export type KnownBody = { readonly counted: AggregatedEvaluations; readonly found: KnownFound };

export type HowKnown = {
  /** How many points of a body may say something new, and how many resources may have points: both take long. */
  readonly mostNew: number;
  readonly mostResources: number;
  /** Where the counts are added up. */
  readonly sums: KnownSums;
};

/** Counts a body; undefined if the general path has to decide. Names of a body that is not read to its end are taken back. */
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
  const begin = createKnownCounting();
  return function* readKnown(body, options, { sums, mostNew, mostResources }) {
    const { scope } = options;
    const counts = begin(options, sums);
    const ofToken = known.of(scope.id, scope.notEnabledReasons);
    const [wire, length] = [new Wire(body), new StepLength()];
    const attributesIn = (start: number, end: number): Attributes => attributesAt(wire, start, end);
    const seriesIn: PointCountsOptions['seriesIn'] = (start, end) => seriesAt(wire, start, end);
    const points = new PointCounts(body, {
      counts,
      scope,
      attributesIn,
      seriesIn,
      mostNew,
    });
    const reader = new PointReader(body, points, length);
    const found: KnownFound = { resources: [], ignored: 0, unclear: new Unclear() };
    try {
      yield* readResources(body.length, { wire, length, reader, points, ofToken, found, mostResources });
      return { counted: counts.end(), found };
    } catch {
      // Nothing but bytes was read, and whatever is wrong with them, the general path finds it too.
      return undefined;
    } finally {
      counts.giveUpUnlessEnded();
    }
  };
}

type Reading = {
  readonly wire: Wire;
  readonly length: StepLength;
  readonly reader: PointReader;
  readonly points: PointCounts;
  readonly ofToken: KnownOfToken;
  readonly found: KnownFound;
  readonly mostResources: number;
};

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

/** Only those with evaluations are listed. */
export function addResource(
  { resources }: KnownFound,
  one: KnownFound['resources'][number],
  most: number,
): void {
  if (one.found.length === 0) return;
  if (resources.length === most) throw OTHER_FORM;
  resources.push(one);
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

/** The attributes of a point, of which there are no others. */
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
