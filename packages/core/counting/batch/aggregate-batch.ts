import type { AggregateOptions, RepeatedRest } from '../aggregate-options.ts';
import type { ReasonSums } from '../evaluations/reason-sums.ts';
import type { BatchImpact } from '../impact/impact-sample.ts';
import type { BucketSpan } from '../message/bucket-span.ts';
import type { SeriesPoint } from '../series/series-point.ts';
import type { BatchNames } from '../names/batch-names.ts';
import { StepLength, type Steps, inOneGo } from '../steps.ts';
import { hashOfGroup, hashOfName, hashOfPair } from '../names/name-hash.ts';
import { refusalOfApplication } from '../applications/application-rules.ts';
import type { Application, Batch, Metric } from '../schemas/batch-schema.ts';
import type { ReadableSums } from '../sums/readable-sums.ts';
import { isExactTime } from './batch-id.ts';
import { CountSums } from '../sums/count-sums.ts';
import { type MetricRefusal, sampleOfApplication, sampleOfMetric } from '../refusal-sample.ts';
import { type Refusal, RefusalSums, createNameChecks } from '../refusals.ts';
import { hourOf, parseTime } from '#base/schema';

/** What one accepted request adds up to: received = counted (the reports in `sums`) + refused metrics. */
export type AggregatedBatch<Sums extends ReadableSums = ReadableSums> = {
  readonly received: number;
  readonly sums: Sums;
  readonly refusals: readonly Refusal[];
  readonly applications: readonly Application[];
  /** Whether a metric has an exact time, see `isExactTime`. */
  readonly hasExactTime: boolean;
};

/** An aggregated batch and the other contents of its body. */
export type ReadBatch = AggregatedBatch & {
  /** Secrets of tokens, see `seenTokensOf`. Only their hashes are passed on. */
  readonly seenTokens: readonly string[];
  /** Samples of impact metrics. The refused ones are among the refusals. */
  readonly impact: BatchImpact;
  /** Set if the rest of the body has only applications, and all of them were accepted. */
  readonly rest?: RepeatedRest | undefined;
  /** How many applications were recognised. They are not among the applications. */
  readonly recognised?: number;
  /** Why flags had their values, for senders that say so. Names and groups are those of the sums. */
  readonly reasons?: ReasonSums;
  /** Points of counters that add up from their start. Their names are those of the sums. */
  readonly points?: readonly SeriesPoint[];
  /** The time of an instance that the body covers. */
  readonly span?: BucketSpan | undefined;
};

/** Refuses the metrics that must not be counted, and adds up the rest by feature, app, environment and hour. */
export function aggregateBatch(batch: Batch, options: AggregateOptions): AggregatedBatch<CountSums> {
  return inOneGo(aggregateInSteps(batch, options));
}

/** The same in steps, for a batch that may be long. */
export function* aggregateInSteps(
  { metrics, applications }: Batch,
  options: AggregateOptions,
): Steps<AggregatedBatch<CountSums>> {
  const sums = new CountSums();
  const refusals = new RefusalSums();
  const rules = createMetricRules(options);
  const length = new StepLength();
  let hasExactTime = false;
  for (const [index, metric] of metrics.entries()) {
    if (length.isDone(1 + variantsOf(metric))) yield;
    const at = metric.timestamp == null ? options.receivedAt : parseTime(metric.timestamp);
    hasExactTime ||= metric.timestamp != null && at !== undefined && isExactTime(at);
    const reason = refusalOfMetric(metric, at ?? NaN, rules);
    if (reason === undefined) addMetric(sums, metric, hourOf(at ?? NaN));
    else
      refusals.add({ ...metric, kind: 'metric', reason }, () => ({
        sample: sampleOfMetric(metric, reason),
        place: `/metrics/${index}`,
      }));
  }
  const accepted: Application[] = [];
  for (const [index, application] of applications.entries()) {
    if (length.isDone(1 + listedNames(application))) yield;
    if (isAccepted(application, index, { rules, refusals })) accepted.push(application);
  }
  return {
    received: metrics.length,
    sums,
    refusals: refusals.toArray(),
    applications: accepted,
    hasExactTime,
  };
}

function variantsOf({ variants }: Metric): number {
  return variants == null ? 0 : Object.keys(variants).length;
}

/** How many names an application has in its lists. Each of them takes as long as another application. */
function listedNames({ strategies, projects, connectVia }: Application): number {
  return (strategies?.length ?? 0) + (projects?.length ?? 0) + (connectVia?.length ?? 0);
}

/** Accepts the applications of a batch whose metrics are already added up. */
export function acceptApplications(
  applications: readonly Application[],
  options: AggregateOptions,
): Pick<AggregatedBatch, 'refusals' | 'applications'> {
  if (applications.length === 0) return { refusals: [], applications };
  const { accepts, refusals } = createAcceptance(options);
  const accepted = applications.filter(accepts);
  return { refusals: refusals(), applications: accepted };
}

/** Accepts applications one after the other. */
export function createAcceptance(options: AggregateOptions): {
  readonly accepts: (application: Application, index: number) => boolean;
  readonly refusals: () => Refusal[];
} {
  const refusals = new RefusalSums();
  const rules = createMetricRules(options);
  return {
    accepts: (application, index) => isAccepted(application, index, { rules, refusals }),
    refusals: () => refusals.toArray(),
  };
}

/** Adds the refusal, if the application is not accepted. */
function isAccepted(
  application: Application,
  index: number,
  { rules, refusals }: { readonly rules: MetricRules; readonly refusals: RefusalSums },
): boolean {
  const reason = refusalOfApplication(application, { checks: rules.checks, names: rules.options.names });
  if (reason === undefined) return true;
  const { appName, environment } = application;
  refusals.add({ appName, environment: environment ?? '', kind: 'application', reason }, () => ({
    sample: sampleOfApplication(application, reason),
    place: `/applications/${index}`,
  }));
  return false;
}

export type MetricRules = {
  readonly options: AggregateOptions;
  readonly checks: ReturnType<typeof createNameChecks>;
};

/** For the metrics of one batch, because the results of name checks are kept. */
export function createMetricRules(options: AggregateOptions): MetricRules {
  return { options, checks: createNameChecks() };
}

/** Why a metric is not counted; undefined if it is. `at`: its time, epoch milliseconds. */
export function refusalOfMetric(metric: Metric, at: number, rules: MetricRules): MetricRefusal | undefined {
  const { checks, options } = rules;
  const { allowedEnvironment, receivedAt, limits, names } = options;
  const nameProblem =
    checks.name(metric.featureName) ?? checks.name(metric.appName) ?? checks.environment(metric.environment);
  if (nameProblem !== undefined) return nameProblem;
  if (allowedEnvironment !== '*' && metric.environment !== allowedEnvironment)
    return 'environment_not_allowed';
  if (at < receivedAt - limits.maxAgeMs) return 'too_old';
  if (at > receivedAt + limits.maxFutureMs) return 'in_the_future';
  const ofVariants = metric.variants == null ? undefined : refusalOfVariants(metric.variants, rules);
  // Checked last, because a name takes room and a refused metric must take none.
  return ofVariants ?? names?.attempt((all) => refusalOfNames(metric, { names: all, hour: hourOf(at) }));
}

function refusalOfNames(
  { featureName, appName, environment, variants }: Metric,
  { names, hour }: { names: BatchNames; hour: number },
): MetricRefusal | undefined {
  const [feature, app, place] = [hashOfName(featureName), hashOfName(appName), hashOfName(environment)];
  if (!names.admit('app', app)) return 'too_many_apps';
  if (!names.admit('environment', place)) return 'too_many_environments';
  if (!names.admit('feature', feature)) return 'too_many_features';
  const row = hashOfPair(hashOfGroup(app, place, hour), feature);
  if (!names.admit('row', row)) return 'too_many_rows';
  for (const variant in variants) {
    if (!variants[variant]) continue; // not stored
    const hash = hashOfName(variant);
    if (!names.admit('variant', hash)) return 'too_many_variant_names';
    if (!names.admit('row', hashOfPair(row, hash))) return 'too_many_rows';
  }
  return undefined;
}

function refusalOfVariants(
  variants: NonNullable<Metric['variants']>,
  rules: MetricRules,
): MetricRefusal | undefined {
  let seen = 0;
  for (const variant in variants) {
    seen += 1;
    if (seen > rules.options.limits.maxVariants) return 'too_many_variants';
    const problem = rules.checks.name(variant);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function addMetric(sums: CountSums, metric: Metric, hour: number): void {
  const group = sums.groupId(sums.nameId(metric.appName), sums.nameId(metric.environment), hour);
  sums.select(group, sums.nameId(metric.featureName));
  sums.add(1, metric.yes ?? 0, metric.no ?? 0);
  for (const variant in metric.variants) {
    const variantCount = metric.variants[variant];
    if (variantCount) sums.addVariant(sums.nameId(variant), variantCount);
  }
}
