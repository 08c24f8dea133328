import { StepLength, type Steps } from '#core/counting';
import { Budget, type Found, type FoundInBody, type Into, MalformedBody, Unclear } from '../found.ts';
import { addPoint } from '../add-found.ts';
import type { Cursor } from '../place.ts';
import { TEMPORALITIES, hasNoValue, kindOfSum, unreadablePoint } from '../points.ts';
import { type MetricKind, kindOfMetric } from '../recognise.ts';
import { MAX_ATTRIBUTES, NO_SCOPE, SCALAR, scopeOf, seriesOfPoint } from '../interpreting/series.ts';
import { type OtlpSignal, SIGNALS } from '../signals.ts';
import { attributesOf, mentionsFlag } from './attributes.ts';
import { readRecord, readSpan } from './read-events.ts';
import {
  type Fields,
  doubleOf,
  enumOf,
  fieldsOf,
  integerOf,
  isTrue,
  listOf,
  optionalFields,
  signedOf,
  textOf,
  timeOf,
  wholeOf,
} from './fields.ts';

type Names = {
  readonly resources: string;
  readonly scopes: string;
  readonly items: string;
  /** Adds the evaluations of a log record, span or metric. Returns false if it holds none. */
  readonly read: (item: Fields, into: Into) => Steps<boolean>;
};

const NAMES: Readonly<Record<OtlpSignal, Names>> = {
  logs: { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords', read: readRecord },
  traces: { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans', read: readSpan },
  metrics: { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics', read: readMetric },
};

type Reading = Pick<Into, 'budget' | 'length' | 'cursor'> & {
  readonly signal: OtlpSignal;
  readonly inBody: FoundInBody;
};

/** The JSON form of the same messages, with names in camel case. */
export function* readJson(signal: OtlpSignal, body: unknown, cursor: Cursor): Steps<FoundInBody> {
  const inBody: FoundInBody = { resources: [], ignored: 0, unclear: new Unclear() };
  const reading = { signal, inBody, budget: new Budget(), length: new StepLength(), cursor };
  const request = fieldsOf(body);
  checkSignal(signal, request);
  for (const ofResource of listOf(request[NAMES[signal].resources])) {
    if (reading.length.isDone()) yield;
    cursor.nextResource();
    yield* readResource(fieldsOf(ofResource), reading);
  }
  return inBody;
}

/** Unknown members are ignored, so data on the wrong path would be lost with 200. In protobuf, its fields have wrong types. */
export function checkSignal(signal: OtlpSignal, request: Fields): void {
  const other = SIGNALS.find((one) => one !== signal && listOf(request[NAMES[one].resources]).length > 0);
  if (other !== undefined) throw new MalformedBody(`${NAMES[other].resources} must be sent to /v1/${other}.`);
}

function* readResource(ofResource: Fields, reading: Reading): Steps<void> {
  const { signal, inBody, length, cursor } = reading;
  const found: Found[] = [];
  for (const ofScope of listOf(ofResource[NAMES[signal].scopes])) {
    if (length.isDone()) yield;
    cursor.nextScope();
    yield* readItems(fieldsOf(ofScope), { reading, found });
  }
  if (found.length === 0) return;
  inBody.resources.push({ resource: attributesOf(optionalFields(ofResource['resource'])), found });
}

function* readItems(
  ofScope: Fields,
  { reading, found }: { readonly reading: Reading; readonly found: Found[] },
): Steps<void> {
  const { signal, inBody, budget, length, cursor } = reading;
  const { items, read } = NAMES[signal];
  const scope = signal === 'metrics' ? readScope(optionalFields(ofScope['scope'])) : NO_SCOPE;
  // Lists the members one by one: spreading another object took most of the CPU of a body with many scopes.
  const into = { found, budget, length, cursor, unclear: inBody.unclear, scope };
  for (const item of listOf(ofScope[items])) {
    into.cursor.nextItem();
    if (!(yield* read(fieldsOf(item), into))) inBody.ignored += 1;
  }
}

export function readScope({ name, version }: Fields): Into['scope'] {
  return scopeOf(textOf(name), textOf(version));
}

const OTHER_DATA = ['gauge', 'histogram', 'exponentialHistogram', 'summary'] as const;

function* readMetric(metric: Fields, into: Into): Steps<boolean> {
  if (into.length.isDone()) yield;
  const { name, sum } = metric;
  const metricName = textOf(name);
  const ofMetric = kindOfMetric(metricName);
  const isKnown = ofMetric === 'evaluations';
  if (ofMetric === 'repeating') return false;
  if (sum != null) {
    const hasEvaluations = yield* readSum(fieldsOf(sum), { metric: metricName, ofMetric, into });
    return hasEvaluations || isKnown;
  }
  const other = OTHER_DATA.flatMap((kind) => metric[kind] ?? [])[0];
  if (other === undefined || !isKnown) return false;
  const points = listOf(fieldsOf(other)['dataPoints']);
  for (let i = 0; i < points.length; i += 1) {
    into.cursor.nextInner();
    into.budget.add(into.found, unreadablePoint(metricName, into.cursor.place));
  }
  return true;
}

type OfMetric = { readonly metric: string; readonly ofMetric: MetricKind; readonly into: Into };

function* readSum(
  { dataPoints, aggregationTemporality, isMonotonic }: Fields,
  { metric, ofMetric, into }: OfMetric,
): Steps<boolean> {
  const kind = kindOfSum(enumOf(aggregationTemporality, TEMPORALITIES), isTrue(isMonotonic));
  const isKnown = ofMetric === 'evaluations';
  const before = into.found.length;
  for (const point of listOf(dataPoints)) {
    if (into.length.isDone()) yield;
    into.cursor.nextInner();
    const fields = fieldsOf(point);
    if (!isKnown && !mentionsFlag(fields)) continue;
    if (isKnown && kind === 'other') {
      addPoint(unreadablePoint(metric, into.cursor.place), ofMetric, into);
      continue;
    }
    const { timeUnixNano, startTimeUnixNano, flags } = fields;
    if (hasNoValue(wholeOf(flags))) continue;
    const [at, startedAt] = [timeOf(timeUnixNano), timeOf(startTimeUnixNano)];
    const value = valueOfPoint(fields);
    const series =
      kind === 'cumulative'
        ? seriesOfPoint({ scope: into.scope, metric }, seriesAttributesOf(fields))
        : undefined;
    const attributes = attributesOf(fields);
    const { place } = into.cursor;
    addPoint({ place, at, attributes, point: { metric, kind, startedAt, value, series } }, ofMetric, into);
  }
  return into.found.length > before;
}

function valueOfPoint({ asInt, asDouble }: Fields): number {
  if (asInt != null) return signedOf(asInt);
  return asDouble == null ? NaN : doubleOf(asDouble);
}

/** All attributes of a point, as name and value; undefined if they are too many, or one of them nests. */
export function seriesAttributesOf({
  attributes: list,
}: Fields): [name: string, value: string][] | undefined {
  const attributes: [string, string][] = [];
  for (const attribute of listOf(list)) {
    const { key, value } = fieldsOf(attribute);
    const scalar = scalarOf(optionalFields(value));
    if (scalar === undefined || attributes.length === MAX_ATTRIBUTES) return undefined;
    attributes.push([textOf(key), scalar]);
  }
  return attributes;
}

function scalarOf({ stringValue, boolValue, intValue, doubleValue, ...others }: Fields): string | undefined {
  if (stringValue != null) return SCALAR.text(textOf(stringValue));
  if (boolValue != null) return SCALAR.boolean(isTrue(boolValue));
  if (intValue != null) return SCALAR.integer(integerOf(intValue));
  if (doubleValue != null) return SCALAR.double(doubleOf(doubleValue));
  return Object.keys(others).length === 0 ? SCALAR.none() : undefined;
}
