import type { Steps } from '#core/counting';
import type { FoundPoint, Into } from '../found.ts';
import { addPoint } from '../add-found.ts';
import { NO_ATTRIBUTES } from '../mapping.ts';
import { hasNoValue, kindOfSum, unreadablePoint } from '../points.ts';
import { readAttributes, readSeriesAttributes } from './attributes.ts';
import { type MetricKind, kindOfMetric } from '../recognise.ts';
import { seriesOfPoint } from '../interpreting/series.ts';
import type { Wire } from './wire.ts';

const METRIC = { name: 1, sum: 7 } as const;
/** Gauge, sum, histogram, exponential histogram and summary. */
const KINDS: ReadonlySet<number> = new Set([5, METRIC.sum, 9, 10, 11]);
/** The points of every kind are in its first field. */
const DATA = { points: 1, temporality: 2, isMonotonic: 3 } as const;
export const POINT = { start: 2, time: 3, double: 4, whole: 6, attributes: 7, flags: 8 } as const;

/** Reads name and kind first, because the points of other metrics are not needed unless they name a flag. */
export function* readMetric(wire: Wire, end: number, into: Into): Steps<boolean> {
  if (into.length.isDone(wire.beginItem())) yield;
  const namesFlag = wire.mentionsFlag(end);
  const { name, isSum, startOfData, endOfData } = readHead(wire, end);
  const ofMetric = kindOfMetric(name);
  const isKnown = ofMetric === 'evaluations';
  if (endOfData === 0 || ofMetric === 'repeating' || (!isKnown && !(isSum && namesFlag))) return false;
  const before = into.found.length;
  wire.at = startOfData;
  const kind = isSum ? readKind(wire, endOfData) : 'other';
  const ofMetricPoints = { metric: name, kind, ofMetric, into };
  wire.at = startOfData;
  for (
    let point = wire.nextOf(DATA.points, endOfData);
    point !== 0;
    point = wire.nextOf(DATA.points, endOfData)
  ) {
    if (into.length.isDone(wire.beginItem())) yield;
    into.cursor.nextInner();
    if (isKnown ? kind !== 'other' : wire.mentionsFlag(point)) {
      readPoint(wire, point, ofMetricPoints);
      continue;
    }
    if (isKnown) addPoint(unreadablePoint(name, into.cursor.place), ofMetric, into);
    wire.at = point;
  }
  wire.at = end;
  return isKnown || into.found.length > before;
}

/** The name of a metric, whether it is a sum, and where its points are: nowhere if `endOfData` is 0. */
export function readHead(wire: Wire, end: number) {
  let name = '';
  let [startOfData, endOfData] = [0, 0];
  let isSum = false;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === METRIC.name) name = wire.text();
    else if (KINDS.has(field)) {
      isSum = field === METRIC.sum;
      endOfData = wire.end();
      startOfData = wire.at;
      wire.at = endOfData;
    } else wire.skip();
  }
  return { name, isSum, startOfData, endOfData };
}

export function readKind(wire: Wire, end: number): FoundPoint['kind'] {
  let temporality = 0;
  let isMonotonic = false;
  for (let field = wire.nextUncounted(end); field !== 0; field = wire.nextUncounted(end)) {
    if (field === DATA.temporality) temporality = wire.whole();
    else if (field === DATA.isMonotonic) isMonotonic = wire.isTrue();
    else wire.skip();
  }
  return kindOfSum(temporality, isMonotonic);
}

type OfMetric = Pick<FoundPoint, 'metric' | 'kind'> & { readonly ofMetric: MetricKind; readonly into: Into };

function readPoint(wire: Wire, end: number, { metric, kind, ofMetric, into }: OfMetric): void {
  const start = wire.at;
  let [startedAt, at, value, flags] = [0, 0, NaN, 0];
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === POINT.time) at = wire.time();
    else if (field === POINT.start) startedAt = wire.time();
    else if (field === POINT.whole) value = wire.signed();
    else if (field === POINT.double) value = wire.double();
    else if (field === POINT.flags) flags = wire.whole();
    else wire.skip();
  }
  if (hasNoValue(flags)) return;
  wire.at = start;
  const attributes = readAttributes(wire, { field: POINT.attributes, end });
  let series: FoundPoint['series'];
  if (kind === 'cumulative') {
    wire.at = start;
    series = seriesOfPoint(
      { scope: into.scope, metric },
      readSeriesAttributes(wire, { field: POINT.attributes, end }),
    );
  }
  const point = { metric, kind, startedAt, value, series };
  const { place } = into.cursor;
  addPoint({ place, at, attributes: attributes ?? NO_ATTRIBUTES, point }, ofMetric, into);
}
