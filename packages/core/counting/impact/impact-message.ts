import { MAX_HOUR, isCount, isOneOf, isStorable, isText } from '../encoding/guards.ts';
import { MAX_VALUE } from './billionths.ts';
import {
  type BatchImpact,
  type Bucket,
  IMPACT_TYPES,
  type ImpactSample,
  type ImpactType,
  type ImpactValue,
} from './impact-sample.ts';

/**
 * The samples of a batch in the head of its message, as JSON: the number of received samples, the texts once, and the samples by
 * metric, with indexes of texts. Whole numbers of more than 53 bits are texts.
 *
 *   [received, texts, [[type, name, help, [[app, environment, instance, hour, [label, value, ...], ...value], ...]], ...]]
 *
 * `value` is [total], [value], or [total, observations, [bound, count, ...]], for a counter, a gauge or a histogram.
 */
export function encodeImpact({ received, samples }: BatchImpact): unknown[] {
  const texts = new Texts();
  const metrics = new Map<string, unknown[][]>();
  for (const sample of samples) {
    const { type, name, help } = sample;
    const key = JSON.stringify([type, name, help]);
    const ofMetric = metrics.get(key) ?? [];
    metrics.set(key, ofMetric);
    ofMetric.push(encodeSample(sample, texts));
  }
  const encoded = Array.from(metrics, ([key, ofMetric]) => [...(JSON.parse(key) as string[]), ofMetric]);
  return [received, texts.all, encoded];
}

class Texts {
  readonly all: string[] = [];
  readonly #ids = new Map<string, number>();

  idOf(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.all.push(text) - 1;
    this.#ids.set(text, id);
    return id;
  }
}

function encodeSample(sample: ImpactSample, texts: Texts): unknown[] {
  const { appName, environment, instanceId, hour, labelNames, labelValues } = sample;
  const labels = labelNames.flatMap((name, index) => [
    texts.idOf(name),
    texts.idOf(labelValues[index] ?? ''),
  ]);
  const place = [appName, environment, instanceId].map((text) => texts.idOf(text));
  return [...place, hour, labels, ...encodeValue(sample)];
}

function encodeValue(value: ImpactValue): unknown[] {
  if (value.type === 'gauge') return [value.value];
  if (value.type === 'counter') return [value.total.toString()];
  const buckets = value.buckets.flatMap(({ bound, count }) => [bound, count]);
  return [value.total.toString(), value.observations, buckets];
}

/** The samples; undefined if something that later steps rely on is wrong. */
export function decodeImpact(encoded: unknown): BatchImpact | undefined {
  try {
    return readImpactOf(encoded);
  } catch (error) {
    if (error === MALFORMED) return undefined;
    throw error;
  }
}

const MALFORMED = new Error('malformed samples');

function readImpactOf(encoded: unknown): BatchImpact {
  const [received, texts, metrics] = listOf(encoded);
  const known = listOf(texts).map((text) => check(text, isText));
  const samples: ImpactSample[] = [];
  for (const metric of listOf(metrics)) {
    const [type, name, help, ofMetric] = listOf(metric);
    const head = { type: check(type, isType), name: check(name, isStorable), help: check(help, isText) };
    for (const sample of listOf(ofMetric)) samples.push(readSample(head, listOf(sample), known));
  }
  return { received: check(received, isCount), samples };
}

type Head = { readonly type: ImpactType; readonly name: string; readonly help: string };

function readSample(
  { type, name, help }: Head,
  [app, environment, instance, hour, labels, ...value]: readonly unknown[],
  texts: readonly string[],
): ImpactSample {
  const textOf = (id: unknown): string => check(texts[check(id, isCount)], isText);
  const ids = listOf(labels);
  if (ids.length % 2 !== 0) throw MALFORMED;
  return {
    name,
    help,
    appName: check(textOf(app), isStorable),
    environment: check(textOf(environment), isStorable),
    instanceId: textOf(instance),
    hour: check(hour, isHour),
    labelNames: ids.filter((_, index) => index % 2 === 0).map((id) => check(textOf(id), isStorable)),
    labelValues: ids.filter((_, index) => index % 2 === 1).map(textOf),
    ...readValue(type, value),
  };
}

function readValue(type: ImpactType, [first, observations, buckets]: readonly unknown[]): ImpactValue {
  if (type === 'gauge') return { type, value: check(first, isFiniteNumber) };
  const total = BigInt(check(first, isTotal));
  if (type === 'counter') return { type, total };
  return { type, total, observations: check(observations, isCount), buckets: readBuckets(listOf(buckets)) };
}

function readBuckets(encoded: readonly unknown[]): Bucket[] {
  const buckets: Bucket[] = [];
  for (let i = 0; i < encoded.length; i += 2)
    buckets.push({ bound: check(encoded[i], isStorable), count: check(encoded[i + 1], isCount) });
  return buckets;
}

function check<T>(value: unknown, isValid: (value: unknown) => value is T): T {
  if (!isValid(value)) throw MALFORMED;
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw MALFORMED;
  return value;
}

function isType(value: unknown): value is ImpactType {
  return isOneOf(IMPACT_TYPES, value);
}

function isHour(value: unknown): value is number {
  return isCount(value) && value <= MAX_HOUR;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** The digits of the largest value in billionths. */
const MAX_DIGITS = String(MAX_VALUE).length + 9;

function isTotal(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_DIGITS + 1 && /^-?\d+$/.test(value);
}
