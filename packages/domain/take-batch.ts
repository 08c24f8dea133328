import type { Application, Batch, Metric } from './batch-schema.ts';
import { registrationOf } from './applications-message.ts';
import { CountSums } from './count-sums.ts';
import {
  type Refusal,
  type RefusalLimits,
  type RefusalReason,
  RefusalSums,
  createNameChecks,
} from './refusals.ts';
import { sampleOfApplication, sampleOfMetric } from './refusal-sample.ts';
import type { BatchNames } from './batch-names.ts';
import { hashOfName } from './name-hash.ts';
import { hourOf, parseTimestamp } from './timestamps.ts';

/** What one accepted request amounts to: received = counted (the reports in `sums`) + refused metrics. */
export type TakenBatch<Sums = CountSums> = {
  readonly received: number;
  readonly sums: Sums;
  readonly refusals: readonly Refusal[];
  readonly applications: readonly Application[];
};

export type TakeOptions = {
  /** Epoch milliseconds; stands in for timestamps that are missing. */
  readonly receivedAt: number;
  /** The environment of the token; '*' allows all. */
  readonly allowedEnvironment: string;
  readonly limits: RefusalLimits;
  /** The names that the token may send in this hour; undefined sets no limit to them. The caller commits them. */
  readonly names?: BatchNames | undefined;
};

/** Refuses what must not be counted and adds up the rest by feature, app, environment and hour. */
export function takeBatch({ metrics, applications }: Batch, options: TakeOptions): TakenBatch {
  const sums = new CountSums();
  const refusals = new RefusalSums();
  const rules = { options, checks: createNameChecks() };
  for (const metric of metrics) {
    const at = metric.timestamp == null ? options.receivedAt : parseTimestamp(metric.timestamp);
    const reason = refusalOf(metric, at ?? NaN, rules);
    if (reason === undefined) count(sums, metric, hourOf(at ?? NaN));
    else refusals.add({ ...metric, kind: 'metric', reason }, () => sampleOfMetric(metric, reason));
  }
  const taken = applications.filter((application) => isTaken(application, { rules, refusals }));
  return { received: metrics.length, sums, refusals: refusals.toArray(), applications: taken };
}

/** The same for a batch whose metrics are added up already. */
export function takeApplications(
  applications: readonly Application[],
  options: TakeOptions,
): Pick<TakenBatch, 'refusals' | 'applications'> {
  if (applications.length === 0) return { refusals: [], applications };
  const refusals = new RefusalSums();
  const rules = { options, checks: createNameChecks() };
  const taken = applications.filter((application) => isTaken(application, { rules, refusals }));
  return { refusals: refusals.toArray(), applications: taken };
}

/** Enters a refusal where it is not. */
function isTaken(
  application: Application,
  { rules, refusals }: { rules: RefusalRules; refusals: RefusalSums },
): boolean {
  const reason = refusalOfApplication(application, rules);
  if (reason === undefined) return true;
  const { appName, environment } = application;
  const sample = (): string => sampleOfApplication(application, reason);
  refusals.add({ appName, environment: environment ?? '', kind: 'application', reason }, sample);
  return false;
}

type RefusalRules = { readonly options: TakeOptions; readonly checks: ReturnType<typeof createNameChecks> };

function refusalOf(metric: Metric, at: number, rules: RefusalRules): RefusalReason | undefined {
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
  return ofVariants ?? admitNames(names, (all) => refusalOfNames(metric, all));
}

/** Judged last: what is refused for something else takes no room. Nor does any name of what is refused for one of them. */
function admitNames(
  names: BatchNames | undefined,
  refusalOf: (names: BatchNames) => RefusalReason | undefined,
): RefusalReason | undefined {
  if (names === undefined) return undefined;
  const savepoint = names.savepoint();
  const reason = refusalOf(names);
  if (reason !== undefined) names.rollBack(savepoint);
  return reason;
}

function refusalOfNames(metric: Metric, names: BatchNames): RefusalReason | undefined {
  if (!names.admit('app', hashOfName(metric.appName))) return 'too_many_apps';
  if (!names.admit('environment', hashOfName(metric.environment))) return 'too_many_environments';
  if (!names.admit('feature', hashOfName(metric.featureName))) return 'too_many_features';
  for (const variant in metric.variants) {
    const isStored = Boolean(metric.variants[variant]);
    if (isStored && !names.admit('variant', hashOfName(variant))) return 'too_many_variant_names';
  }
  return undefined;
}

function refusalOfVariants(
  variants: NonNullable<Metric['variants']>,
  rules: RefusalRules,
): RefusalReason | undefined {
  let seen = 0;
  for (const variant in variants) {
    seen += 1;
    if (seen > rules.options.limits.maxVariants) return 'too_many_variants';
    const problem = rules.checks.name(variant);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function refusalOfApplication(
  application: Application,
  { checks, options: { names } }: RefusalRules,
): RefusalReason | undefined {
  const { appName, environment, instanceId, sdkVersion, sdkType } = application;
  const problem = checks.name(appName) ?? (environment ? checks.environment(environment) : undefined);
  if (problem !== undefined) return problem;
  const optional = [
    instanceId,
    sdkVersion,
    sdkType,
    ...(application.strategies ?? []),
    ...(application.projects ?? []),
  ];
  for (const name of optional) {
    const optionalProblem = name ? checks.name(name) : undefined;
    if (optionalProblem !== undefined) return optionalProblem;
  }
  return admitNames(names, (all) => refusalOfInstance(application, all));
}

/** An instance is stored by app, environment and id, with what stands in for those that are absent. */
function refusalOfInstance(application: Application, names: BatchNames): RefusalReason | undefined {
  const { appName, environment, instanceId } = registrationOf(application, 0);
  if (!names.admit('app', hashOfName(appName))) return 'too_many_apps';
  if (!names.admit('environment', hashOfName(environment))) return 'too_many_environments';
  const instance = JSON.stringify([appName, environment, instanceId]);
  return names.admit('instance', hashOfName(instance)) ? undefined : 'too_many_instances';
}

function count(sums: CountSums, metric: Metric, hour: number): void {
  const group = sums.groupId(sums.nameId(metric.appName), sums.nameId(metric.environment), hour);
  sums.select(group, sums.nameId(metric.featureName));
  sums.add(1, metric.yes ?? 0, metric.no ?? 0);
  for (const variant in metric.variants) {
    const variantCount = metric.variants[variant];
    if (variantCount) sums.addVariant(sums.nameId(variant), variantCount);
  }
}
