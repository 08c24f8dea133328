import { hash } from 'node:crypto';
import { EVALUATION_RESULTS, type EvaluationResult } from '../evaluations/evaluation.ts';
import type { Outcome } from '../evaluations/reason-sums.ts';
import { MAX_HOUR, isCount } from '../encoding/guards.ts';
import { decodeIndex, encodeIndex } from '../encoding/optional-index.ts';

/**
 * A point of a counter that adds up evaluations from its start, as the message of its batch holds it. Names are indexes into the names
 * of the message, or ids of a block's names. Times are microseconds since the epoch.
 */
export type SeriesPoint = Outcome & {
  /** Which counter of which process, see `seriesKeyOf`. */
  readonly series: string;
  /** When the counter began at 0. A process that starts again has another one. */
  readonly startedAt: number;
  readonly at: number;
  /** The evaluations since the start. */
  readonly value: number;
  readonly feature: number;
  readonly app: number;
  readonly environment: number;
  readonly variant: number | undefined;
  readonly result: EvaluationResult;
};

const KEY_LENGTH = 22;

/** Names a series by a hash of what distinguishes it from others: 132 bits of SHA-256, base64url. */
export function seriesKeyOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, KEY_LENGTH);
}

/** The points in the head of a message: a list for each. */
export function encodePoints(points: readonly SeriesPoint[]): unknown[][] {
  return points.map((point) => [
    point.series,
    point.startedAt,
    point.at,
    point.value,
    point.feature,
    point.app,
    point.environment,
    encodeIndex(point.variant),
    EVALUATION_RESULTS.indexOf(point.result),
    point.reason,
    encodeIndex(point.errorType),
    encodeIndex(point.provider),
  ]);
}

const MAX_TIME = MAX_HOUR * 3_600_000_000;

/** The points; undefined if one of them refers to a missing name, or is no point. */
export function decodePoints(encoded: unknown, names: number): SeriesPoint[] | undefined {
  if (!Array.isArray(encoded)) return undefined;
  const points: SeriesPoint[] = [];
  for (const one of encoded as unknown[]) {
    if (!Array.isArray(one)) return undefined;
    const [series, ...numbers] = one as unknown[];
    if (typeof series !== 'string' || series.length !== KEY_LENGTH || !numbers.every(isCount))
      return undefined;
    const [startedAt = 0, at = MAX_TIME, value = 0, ...indexes] = numbers;
    const [
      feature = names,
      app = names,
      environment = names,
      variant = 0,
      resultIndex = EVALUATION_RESULTS.length,
      reason = names,
      error = 0,
      provider = 0,
    ] = indexes;
    if (at >= MAX_TIME || startedAt > at || Math.max(feature, app, environment, reason) >= names)
      return undefined;
    const result = EVALUATION_RESULTS[resultIndex];
    if (result === undefined || Math.max(variant, error, provider) > names) return undefined;
    points.push({
      series,
      startedAt,
      at,
      value,
      feature,
      app,
      environment,
      result,
      reason,
      variant: decodeIndex(variant),
      errorType: decodeIndex(error),
      provider: decodeIndex(provider),
    });
  }
  return points;
}
