import {
  type AggregateOptions,
  type AggregatedBatch,
  addMetric,
  createMetricRules,
  refusalOfMetric,
} from '../batch/aggregate-batch.ts';
import { CountSums } from '../batch/count-sums.ts';
import { sampleOfMetric } from '../batch/refusal-sample.ts';
import { RefusalSums } from '../batch/refusals.ts';
import type { Metric } from '../batch/schemas/batch-schema.ts';
import { hourOf } from '../batch/timestamps.ts';
import { isOneOf } from '../message/guards.ts';
import { type SeriesPoint } from '../series/series-point.ts';
import { ERROR_TYPES, EVALUATION_REASONS, type Evaluation } from './evaluation.ts';
import { ReasonSums } from './reason-sums.ts';

export type AggregatedEvaluations = Omit<AggregatedBatch<CountSums>, 'applications' | 'hasExactTime'> & {
  readonly reasons: ReasonSums;
  /** Points of which only the worker knows how many evaluations are new. Their names are those of the sums. */
  readonly points: readonly SeriesPoint[];
};

/** As `aggregateBatch` does it for metrics: each evaluation, or data point with several, is one metric received. */
export function aggregateEvaluations(
  evaluations: Iterable<Evaluation>,
  options: AggregateOptions,
): AggregatedEvaluations {
  const sums = new CountSums();
  const reasons = new ReasonSums();
  const refusals = new RefusalSums();
  const points: SeriesPoint[] = [];
  const rules = createMetricRules(options);
  let received = 0;
  for (const evaluation of evaluations) {
    received += 1;
    const at = evaluation.at || options.receivedAt;
    const metric = metricOf(evaluation);
    const { problem } = evaluation;
    const reason = problem?.reason ?? refusalOfMetric(metric, at, rules);
    if (reason === undefined && evaluation.counter !== undefined) {
      points.push(pointOf(evaluation, evaluation.counter, sums));
    } else if (reason === undefined) {
      addMetric(sums, metric, hourOf(at));
      addReason(evaluation, { sums, reasons, hour: hourOf(at) });
    } else
      refusals.add(
        { ...metric, kind: 'metric', reason },
        () => problem?.sample ?? sampleOfMetric({ ...metric, timestamp: new Date(at).toISOString() }, reason),
      );
  }
  return { received, sums, reasons, points, refusals: refusals.toArray() };
}

/** Custom reasons and errors become `other`, so that few are stored. */
function addReason(
  { appName, environment, featureName, reason, errorType, count }: Evaluation,
  { sums, reasons, hour }: { readonly sums: CountSums; readonly reasons: ReasonSums; readonly hour: number },
): void {
  const group = sums.groupId(sums.nameId(appName), sums.nameId(environment), hour);
  reasons.add({ feature: sums.nameId(featureName), group, ...outcomeOf({ reason, errorType }, sums) }, count);
}

function outcomeOf({ reason, errorType }: Pick<Evaluation, 'reason' | 'errorType'>, sums: CountSums) {
  const known = isOneOf(EVALUATION_REASONS, reason) ? reason : OTHER;
  const knownError = errorType === undefined || isOneOf(ERROR_TYPES, errorType) ? errorType : OTHER;
  return {
    reason: sums.nameId(known),
    errorType: knownError === undefined ? undefined : sums.nameId(knownError),
  };
}

function pointOf(
  { featureName, appName, environment, variant, isEnabled, at, count, ...outcome }: Evaluation,
  counter: NonNullable<Evaluation['counter']>,
  sums: CountSums,
): SeriesPoint {
  return {
    ...counter,
    ...{ at: Math.round(at * 1000), value: count, isEnabled },
    feature: sums.nameId(featureName),
    app: sums.nameId(appName),
    environment: sums.nameId(environment),
    variant: variant === undefined ? undefined : sums.nameId(variant),
    ...outcomeOf(outcome, sums),
  };
}

const OTHER = 'other';

function metricOf({ featureName, appName, environment, variant, isEnabled, count }: Evaluation): Metric {
  return {
    featureName,
    appName,
    environment,
    yes: isEnabled ? count : 0,
    no: isEnabled ? 0 : count,
    variants: variant === undefined ? null : { [variant]: count },
  };
}
