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
import { ERROR_TYPES, EVALUATION_REASONS, type Evaluation } from './evaluation.ts';
import { ReasonSums } from './reason-sums.ts';

/** As `aggregateBatch` does it for metrics: each evaluation, or data point with several, is one metric received. */
export function aggregateEvaluations(
  evaluations: Iterable<Evaluation>,
  options: AggregateOptions,
): Omit<AggregatedBatch<CountSums>, 'applications' | 'hasExactTime'> & { readonly reasons: ReasonSums } {
  const sums = new CountSums();
  const reasons = new ReasonSums();
  const refusals = new RefusalSums();
  const rules = createMetricRules(options);
  let received = 0;
  for (const evaluation of evaluations) {
    received += 1;
    const at = evaluation.at || options.receivedAt;
    const metric = metricOf(evaluation);
    const { problem } = evaluation;
    const reason = problem?.reason ?? refusalOfMetric(metric, at, rules);
    if (reason === undefined) {
      addMetric(sums, metric, hourOf(at));
      addReason(evaluation, { sums, reasons, hour: hourOf(at) });
    } else
      refusals.add(
        { ...metric, kind: 'metric', reason },
        () => problem?.sample ?? sampleOfMetric({ ...metric, timestamp: new Date(at).toISOString() }, reason),
      );
  }
  return { received, sums, reasons, refusals: refusals.toArray() };
}

/** Custom reasons and errors become `other`, so that few are stored. */
function addReason(
  { appName, environment, featureName, reason, errorType, count }: Evaluation,
  { sums, reasons, hour }: { readonly sums: CountSums; readonly reasons: ReasonSums; readonly hour: number },
): void {
  const known = isOneOf(EVALUATION_REASONS, reason) ? reason : OTHER;
  const knownError = errorType === undefined || isOneOf(ERROR_TYPES, errorType) ? errorType : OTHER;
  reasons.add(
    {
      feature: sums.nameId(featureName),
      group: sums.groupId(sums.nameId(appName), sums.nameId(environment), hour),
      reason: sums.nameId(known),
      errorType: knownError === undefined ? undefined : sums.nameId(knownError),
    },
    count,
  );
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
