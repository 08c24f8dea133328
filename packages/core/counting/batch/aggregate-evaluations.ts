import type { AggregateOptions } from '../aggregate-options.ts';
import {
  type AggregatedBatch,
  type MetricRules,
  addMetric,
  createMetricRules,
  refusalOfMetric,
} from './aggregate-batch.ts';
import { CountSums } from '../sums/count-sums.ts';
import { sampleOfMetric } from '../refusal-sample.ts';
import { type RefusalReason, RefusalSums } from '../refusals.ts';
import type { Metric } from '../schemas/batch-schema.ts';
import { hourOf } from '#base/schema';
import { hashOfName, hashOfPair } from '../names/name-hash.ts';
import { StepLength, type Steps } from '../steps.ts';
import { type SeriesPoint } from '../series/series-point.ts';
import { type Evaluation, storedErrorOf, storedReasonOf } from '../evaluations/evaluation.ts';
import { type Outcome, ReasonSums } from '../evaluations/reason-sums.ts';

export type AggregatedEvaluations = Omit<AggregatedBatch<CountSums>, 'applications' | 'hasExactTime'> & {
  readonly reasons: ReasonSums;
  /** Points of which only the worker knows how many evaluations are new. Their names are those of the sums. */
  readonly points: readonly SeriesPoint[];
};

/** As `aggregateBatch` does it for metrics: each evaluation, or data point with several, is one metric received. */
export function* aggregateEvaluations(
  evaluations: Iterable<Evaluation>,
  options: AggregateOptions,
): Steps<AggregatedEvaluations> {
  const sums = new CountSums();
  const reasons = new ReasonSums();
  const refusals = new RefusalSums();
  const points: SeriesPoint[] = [];
  const rules = createMetricRules(options);
  const length = new StepLength();
  let received = 0;
  for (const evaluation of evaluations) {
    received += 1;
    if (length.isDone()) yield;
    const at = evaluation.at || options.receivedAt;
    const metric = metricOf(evaluation);
    const refused = refusalOf(evaluation, metric, { at, rules });
    if (refused === undefined && evaluation.counter !== undefined) {
      points.push(pointOf(evaluation, evaluation.counter, { sums, rules }));
    } else if (refused === undefined) {
      addMetric(sums, metric, hourOf(at));
      if (evaluation.result === 'unknown') sums.addUnknown(evaluation.count);
      addReason(evaluation, hourOf(at), { sums, reasons, rules });
    } else
      refusals.add({ ...metric, kind: 'metric', reason: refused.reason }, () => ({
        sample: refused.sampleOf(),
        place: evaluation.place.pointer,
      }));
  }
  return { received, sums, reasons, points, refusals: refusals.toArray() };
}

type Refused = { readonly reason: RefusalReason; readonly sampleOf: () => string };

/** Why an evaluation is not counted; undefined if it is. */
function refusalOf(
  { problem }: Evaluation,
  metric: Metric,
  { at, rules }: { readonly at: number; readonly rules: MetricRules },
): Refused | undefined {
  if (problem !== undefined) return { reason: problem.reason, sampleOf: () => problem.sample };
  const reason = refusalOfMetric(metric, at, rules);
  if (reason === undefined) return undefined;
  const timed = { ...metric, timestamp: new Date(at).toISOString() };
  return { reason, sampleOf: () => sampleOfMetric(timed, reason) };
}

type Parts = { readonly sums: CountSums; readonly rules: MetricRules };

function addReason(
  evaluation: Evaluation,
  hour: number,
  { sums, reasons, rules }: Parts & { readonly reasons: ReasonSums },
): void {
  const { appName, environment, featureName, count } = evaluation;
  const group = sums.groupId(sums.nameId(appName), sums.nameId(environment), hour);
  reasons.add({ feature: sums.nameId(featureName), group }, outcomeOf(evaluation, { sums, rules }), count);
}

function outcomeOf(evaluation: Evaluation, { sums, rules }: Parts): Outcome {
  const errorType = storedErrorOf(evaluation.errorType);
  const provider = providerOf(evaluation, rules);
  return {
    reason: sums.nameId(storedReasonOf(evaluation.reason)),
    errorType: errorType === undefined ? undefined : sums.nameId(errorType),
    provider: provider === undefined ? undefined : sums.nameId(provider),
  };
}

/** A provider takes as much room as a variant. One that has no name, or for which there is no room, becomes `other`. */
function providerOf(
  { provider, featureName }: Evaluation,
  { checks, options: { names } }: MetricRules,
): string | undefined {
  if (provider === undefined) return undefined;
  const hash = hashOfName(provider);
  const hasRoom = (): boolean =>
    names === undefined ||
    (names.admit('variant', hash) && names.admit('row', hashOfPair(hash, hashOfName(featureName))));
  return checks.name(provider) === undefined && hasRoom() ? provider : OTHER;
}

/** Lists the members one by one: spreading other objects took half of the CPU of a body. */
function pointOf(
  evaluation: Evaluation,
  counter: NonNullable<Evaluation['counter']>,
  { sums, rules }: Parts,
): SeriesPoint {
  const { featureName, appName, environment, variant, result, at, count } = evaluation;
  const { reason, errorType, provider } = outcomeOf(evaluation, { sums, rules });
  return {
    series: counter.series,
    startedAt: counter.startedAt,
    at: Math.round(at * 1000),
    value: count,
    result,
    feature: sums.nameId(featureName),
    app: sums.nameId(appName),
    environment: sums.nameId(environment),
    variant: variant === undefined ? undefined : sums.nameId(variant),
    reason,
    errorType,
    provider,
  };
}

const OTHER = 'other';

function metricOf({ featureName, appName, environment, variant, result, count }: Evaluation): Metric {
  return {
    featureName,
    appName,
    environment,
    yes: result === 'enabled' ? count : 0,
    no: result === 'disabled' ? count : 0,
    variants: variant === undefined ? null : { [variant]: count },
  };
}
