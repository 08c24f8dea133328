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
import type { Evaluation } from './evaluation.ts';

/** As `aggregateBatch` does it for metrics: each evaluation, or data point with several, is one metric received. */
export function aggregateEvaluations(
  evaluations: Iterable<Evaluation>,
  options: AggregateOptions,
): Omit<AggregatedBatch<CountSums>, 'applications' | 'hasExactTime'> {
  const sums = new CountSums();
  const refusals = new RefusalSums();
  const rules = createMetricRules(options);
  let received = 0;
  for (const evaluation of evaluations) {
    received += 1;
    const at = evaluation.at || options.receivedAt;
    const metric = metricOf(evaluation);
    const { problem } = evaluation;
    const reason = problem?.reason ?? refusalOfMetric(metric, at, rules);
    if (reason === undefined) addMetric(sums, metric, hourOf(at));
    else
      refusals.add(
        { ...metric, kind: 'metric', reason },
        () => problem?.sample ?? sampleOfMetric({ ...metric, timestamp: new Date(at).toISOString() }, reason),
      );
  }
  return { received, sums, refusals: refusals.toArray() };
}

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
