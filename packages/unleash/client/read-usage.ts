import { isUrlName } from '#base/schema';
import { jsonOf } from './answers.ts';
import type { Unleash } from './client.ts';
import { isObject } from './token-fields.ts';
import { UnleashError } from './unleash-error.ts';

/** The counts of a feature in an hour, according to Unleash. */
export type HourUsage = {
  readonly appName: string;
  readonly environment: string;
  /** Start of the hour, epoch milliseconds. */
  readonly hour: number;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
};

/** The largest number of applications of a feature in an answer of Unleash, and the number of hours that it keeps. */
export const MAX_USAGE_APPS = 100;
export const MAX_USAGE_HOURS = 48;

const TIMEOUT_MS = 20_000;
/** 100 applications in three environments for 48 hours take 2 MB without variants. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The hours of a feature up to the current one, also those without evaluations; none for a name that Unleash accepts for no feature. */
export async function readUsageHours(
  unleash: Unleash,
  adminSecret: string,
  { featureName, hoursBack }: { readonly featureName: string; readonly hoursBack: number },
): Promise<HourUsage[]> {
  if (!isUrlName(featureName)) return [];
  const path = `/api/admin/client-metrics/features/${encodeURIComponent(featureName)}/raw?hoursBack=${hoursBack}`;
  const document = await readJson(unleash, path, adminSecret);
  if (!isObject(document) || !Array.isArray(document['data'])) throw misunderstood('usage');
  return document['data'].map((item: unknown) => {
    if (!isObject(item)) throw misunderstood('usage');
    const { appName, environment, timestamp, yes, no, variants = {} } = item;
    const hour = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN;
    if (typeof appName !== 'string' || typeof environment !== 'string' || Number.isNaN(hour))
      throw misunderstood('usage');
    if (typeof yes !== 'number' || typeof no !== 'number' || !isCounts(variants))
      throw misunderstood('usage');
    return { appName, environment, hour, yes, no, variants };
  });
}

/** Names for which Unleash received evaluations in the last day but has no feature. It does not store these evaluations. */
export async function readUnknownFlags(unleash: Unleash, adminSecret: string): Promise<Set<string>> {
  const document = await readJson(unleash, '/api/admin/metrics/unknown-flags', adminSecret);
  if (!isObject(document) || !Array.isArray(document['unknownFlags'])) throw misunderstood('unknown flags');
  const names = document['unknownFlags'].map((item: unknown) => {
    if (!isObject(item) || typeof item['name'] !== 'string') throw misunderstood('unknown flags');
    return item['name'];
  });
  return new Set(names);
}

async function readJson(unleash: Unleash, path: string, secret: string): Promise<unknown> {
  return jsonOf(await unleash.call({ path, secret, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }));
}

function isCounts(value: unknown): value is Record<string, number> {
  return isObject(value) && Object.values(value).every((count) => typeof count === 'number');
}

function misunderstood(what: string): UnleashError {
  return new UnleashError('unleash-answer', `Unleash answered other ${what} than its API has.`);
}
