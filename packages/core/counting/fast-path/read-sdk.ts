import { hourOf, parseTime } from '#base/schema';
import type { AggregateOptions } from '../aggregate-options.ts';
import { type ReadBatch, acceptApplications } from '../batch/aggregate-batch.ts';
import { type SdkBucket, type SdkScope, batchOfSdkMetrics } from '../batch/sdk-schema.ts';
import { readImpact } from '../impact/read-impact.ts';
import { admitSums } from './admit-sums.ts';
import type { FastSums } from './fast-sums.ts';
import type { FastReading } from './metrics-reader.ts';
import { parseRest, readToggles } from './read-apart.ts';

export type SdkOptions = AggregateOptions & {
  /** What the token says. */
  readonly scope: SdkScope;
};

/** Reads the body of an SDK as its general path does. Only its toggles are read from the bytes. */
export function readSdk(
  body: Buffer,
  target: { readonly sums: FastSums; readonly options: SdkOptions },
): ReadBatch | undefined {
  const toggles = readToggles(body, target);
  if (toggles === undefined) return undefined;
  const { sums, options } = target;
  const { names, scope } = options;
  const parsed = batchOfSdkMetrics(parseRest(toggles.rest), scope);
  if ('problems' in parsed || parsed.bucket === undefined || !place(parsed.bucket, target)) return undefined;
  const savepoint = names?.savepoint() ?? 0;
  if (names !== undefined && !admitSums(sums, names)) return undefined;
  const { refusals: ofApplication, applications } = acceptApplications(parsed.batch.applications, options);
  // Then its metrics may have to be refused too.
  if (ofApplication.length > 0) {
    names?.rollBack(savepoint);
    return undefined;
  }
  const { refusals, ...impact } = readImpact(parsed.impact.metrics, parsed.impact.source, options);
  const { hasExactTime, span } = parsed;
  return {
    received: toggles.count,
    sums,
    refusals,
    applications,
    hasExactTime,
    seenTokens: [],
    impact,
    span,
  };
}

/** ASCII that needs no escapes. */
const PLAIN = /^[ !#-[\]-~]+$/;

/** Gives all toggles their application, environment and hour. False if they are too old or in the future, or their names need escapes. */
function place({ appName: app, environment, stop }: SdkBucket, { sums, options }: FastReading): boolean {
  const { receivedAt, limits } = options;
  const at = stop === null ? receivedAt : (parseTime(stop) ?? NaN);
  const isInTime = at >= receivedAt - limits.maxAgeMs && at <= receivedAt + limits.maxFutureMs;
  if (!isInTime || !PLAIN.test(app) || !PLAIN.test(environment)) return false;
  return sums.placeAll({ app, environment, hour: hourOf(at) });
}
