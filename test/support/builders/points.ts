import { CountSums, type EvaluationResult, type SeriesPoint, seriesKeyOf } from '#core/counting';
import { RECEIVED_AT, encodeAggregated } from './builders.ts';

/** A point of a counter. Times are epoch milliseconds. */
export type GivenPoint = {
  /** Counters with different names are different. */
  readonly counter?: string;
  readonly startedAt?: number;
  readonly at?: number;
  readonly value: number;
  readonly featureName?: string;
  /** None if it is empty. */
  readonly variant?: string;
  readonly result?: EvaluationResult;
};

/** A point whose names are those of the sums. By default, the counter started an hour before the built batches are received. */
export function aPoint(given: GivenPoint, sums = new CountSums()): SeriesPoint {
  const { counter = 'one', startedAt = RECEIVED_AT - 3_600_000, at = RECEIVED_AT, value } = given;
  const { variant = 'on', result = 'enabled' } = given;
  return {
    series: seriesKeyOf([counter]),
    startedAt: startedAt * 1000,
    at: at * 1000,
    value,
    feature: sums.nameId(given.featureName ?? 'counted'),
    app: sums.nameId('checkout'),
    environment: sums.nameId('production'),
    variant: variant === '' ? undefined : sums.nameId(variant),
    result,
    reason: sums.nameId('static'),
    errorType: undefined,
    provider: sums.nameId('flagd'),
  };
}

/** The bytes of a message that has only points. */
export function aPointsValue(
  given: readonly GivenPoint[],
  batchId = 'batch',
  receivedAt = RECEIVED_AT,
): Uint8Array {
  const sums = new CountSums();
  const points = given.map((one) => aPoint(one, sums));
  const aggregated = { received: points.length, sums, refusals: [], applications: [], hasExactTime: false };
  return encodeAggregated(aggregated, { batchId, receivedAt, points });
}
