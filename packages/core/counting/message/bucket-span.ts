import { hash } from 'node:crypto';
import { parseTime } from '#base/schema';
import { MAX_HOUR, isCount, isStorable } from '../encoding/guards.ts';

/** The time between two posts of an instance of an SDK, whose counts have arrived. */
export type BucketSpan = {
  readonly appName: string;
  readonly environment: string;
  /** Stands for the name of the instance, which nobody reads here: 48 bits of its hash. */
  readonly instance: number;
  /** Epoch milliseconds by the clock of the instance. */
  readonly start: number;
  readonly stop: number;
};

type Bucket = {
  readonly start?: string | null | undefined;
  readonly stop?: string | null | undefined;
};

type Instance = {
  readonly appName: string;
  readonly environment: string;
  readonly instanceId: string | null | undefined;
};

/** From September 2001 seconds have ten digits: ClickHouse cannot read a time with fewer, and no INSERT with it would ever succeed. */
const MIN_TIME_MS = 1_000_000_000_000;
const MAX_TIME_MS = MAX_HOUR * 3_600_000;
const INSTANCE_DIGITS = 12;

/** Undefined if the bucket names no instance, or does not begin before it ends. */
export function spanOfBucket(
  { start, stop }: Bucket,
  { appName, environment, instanceId }: Instance,
): BucketSpan | undefined {
  const times = { start: timeOf(start), stop: timeOf(stop) };
  if (!isSpan(times) || instanceId == null || instanceId === '') return undefined;
  if (!isStorable(appName) || !isStorable(environment)) return undefined;
  const digits = hash('sha256', instanceId, 'hex').slice(0, INSTANCE_DIGITS);
  return { appName, environment, instance: Number.parseInt(digits, 16), ...times };
}

/** Whole epoch milliseconds; NaN without a time. */
function timeOf(text: string | null | undefined): number {
  return Math.floor((text == null ? undefined : parseTime(text)) ?? NaN);
}

/** `[app, environment, instance, start, stop]` in the head of a message. */
export function encodeSpan({ appName, environment, instance, start, stop }: BucketSpan): unknown[] {
  return [appName, environment, instance, start, stop];
}

/** Undefined if the value is no span. */
export function decodeSpan(value: unknown): BucketSpan | undefined {
  if (!Array.isArray(value)) return undefined;
  const [appName, environment, instance, start, stop] = value as unknown[];
  if (!isStorable(appName) || !isStorable(environment) || !isCount(instance)) return undefined;
  if (!isCount(start) || !isCount(stop)) return undefined;
  const span = { appName, environment, instance, start, stop };
  return isSpan(span) ? span : undefined;
}

function isSpan({ start, stop }: Pick<BucketSpan, 'start' | 'stop'>): boolean {
  return start >= MIN_TIME_MS && stop > start && stop <= MAX_TIME_MS;
}
