import { Budget, type Found, type FoundInBody, type Into } from '../found.ts';
import {
  type AttributeValue,
  type Attributes,
  EVALUATION_METRICS,
  EVENT_NAMES,
  EVENT_NAME_ATTRIBUTE,
  NO_ATTRIBUTES,
  isKnownAttribute,
} from '../mapping.ts';
import { hasNoValue, kindOfSum, unreadablePoint } from '../points.ts';
import { MAX_ATTRIBUTES, SCALAR, scopeOf, seriesOfPoint } from '../series.ts';
import type { OtlpSignal } from '../signals.ts';
import {
  type Fields,
  doubleOf,
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
  readonly read: (item: Fields, into: Into) => boolean;
};

const NAMES: Readonly<Record<OtlpSignal, Names>> = {
  logs: { resources: 'resourceLogs', scopes: 'scopeLogs', items: 'logRecords', read: readRecord },
  traces: { resources: 'resourceSpans', scopes: 'scopeSpans', items: 'spans', read: readSpan },
  metrics: { resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics', read: readMetric },
};

/** The JSON form of the same messages, with names in camel case. */
export function readJson(signal: OtlpSignal, body: unknown): FoundInBody {
  const names = NAMES[signal];
  const inBody: FoundInBody = { resources: [], ignored: 0 };
  const budget = new Budget();
  for (const ofResource of listOf(fieldsOf(body)[names.resources])) {
    const { resource, [names.scopes]: scopes } = fieldsOf(ofResource);
    const found: Found[] = [];
    for (const ofScope of listOf(scopes)) {
      const { scope: named, [names.items]: items } = fieldsOf(ofScope);
      const scope = signal === 'metrics' ? readScope(optionalFields(named)) : '';
      for (const item of listOf(items))
        if (!names.read(fieldsOf(item), { found, budget, scope })) inBody.ignored += 1;
    }
    if (found.length === 0) continue;
    inBody.resources.push({ resource: attributesOf(optionalFields(resource)), found });
  }
  return inBody;
}

function readScope({ name, version }: Fields): Into['scope'] {
  return scopeOf(textOf(name), textOf(version));
}

function readRecord(record: Fields, { found, budget }: Into): boolean {
  const { eventName, timeUnixNano, observedTimeUnixNano } = record;
  const name = textOf(eventName);
  if (name !== '' && !EVENT_NAMES.has(name)) return false;
  const attributes = attributesOf(record);
  if (name === '' && !EVENT_NAMES.has(String(attributes.get(EVENT_NAME_ATTRIBUTE)))) return false;
  budget.add(found, { at: timeOf(timeUnixNano) || timeOf(observedTimeUnixNano), attributes });
  return true;
}

function readSpan({ events }: Fields, { found, budget }: Into): boolean {
  const before = found.length;
  for (const event of listOf(events)) {
    const fields = fieldsOf(event);
    const { name, timeUnixNano } = fields;
    if (EVENT_NAMES.has(textOf(name)))
      budget.add(found, { at: timeOf(timeUnixNano), attributes: attributesOf(fields) });
  }
  return found.length > before;
}

const OTHER_DATA = ['gauge', 'histogram', 'exponentialHistogram', 'summary'] as const;

function readMetric(metric: Fields, into: Into): boolean {
  const { name, sum } = metric;
  const metricName = textOf(name);
  if (!EVALUATION_METRICS.has(metricName)) return false;
  if (sum != null) {
    readSum(metricName, fieldsOf(sum), into);
    return true;
  }
  const other = OTHER_DATA.flatMap((kind) => metric[kind] ?? [])[0];
  if (other === undefined) return false;
  const points = listOf(fieldsOf(other)['dataPoints']);
  for (let i = 0; i < points.length; i += 1) into.budget.add(into.found, unreadablePoint(metricName));
  return true;
}

function readSum(
  metric: string,
  { dataPoints, aggregationTemporality, isMonotonic }: Fields,
  { found, budget, scope }: Into,
): void {
  const kind = kindOfSum(wholeOf(aggregationTemporality), isTrue(isMonotonic));
  const unreadable = unreadablePoint(metric);
  for (const point of listOf(dataPoints)) {
    const fields = fieldsOf(point);
    if (kind === 'other') {
      budget.add(found, unreadable);
      continue;
    }
    const { timeUnixNano, startTimeUnixNano, flags } = fields;
    if (hasNoValue(wholeOf(flags))) continue;
    const [at, startedAt] = [timeOf(timeUnixNano), timeOf(startTimeUnixNano)];
    const value = valueOfPoint(fields);
    const series =
      kind === 'cumulative' ? seriesOfPoint({ scope, metric }, seriesAttributesOf(fields)) : undefined;
    const attributes = attributesOf(fields);
    budget.add(found, { at, attributes, point: { metric, kind, startedAt, value, series } });
  }
}

function valueOfPoint({ asInt, asDouble }: Fields): number {
  if (asInt != null) return signedOf(asInt);
  return asDouble == null ? NaN : doubleOf(asDouble);
}

/** The attributes of which anything is read. */
function attributesOf({ attributes: list }: Fields): Attributes {
  let attributes: Map<string, AttributeValue> | undefined;
  for (const attribute of listOf(list)) {
    const { key, value } = fieldsOf(attribute);
    const name = textOf(key);
    if (isKnownAttribute(name))
      (attributes ??= new Map<string, AttributeValue>()).set(name, readValue(optionalFields(value)));
  }
  return attributes ?? NO_ATTRIBUTES;
}

function readValue({ stringValue, boolValue }: Fields): AttributeValue {
  if (stringValue != null) return textOf(stringValue);
  return boolValue == null ? undefined : isTrue(boolValue);
}

/** All attributes of a point, as name and value; undefined if they are too many, or one of them nests. */
function seriesAttributesOf({ attributes: list }: Fields): [name: string, value: string][] | undefined {
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
