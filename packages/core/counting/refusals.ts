import { MAX_ENVIRONMENT_LENGTH, type NameProblem, displayableName, problemOfName } from '#base/schema';
import type { Metric } from './schemas/batch-schema.ts';

export const REFUSAL_REASONS = [
  'empty_name',
  'name_too_long',
  'invalid_character',
  'too_old',
  'in_the_future',
  'too_many_variants',
  'environment_not_allowed',
  'too_many_features',
  'too_many_apps',
  'too_many_environments',
  'too_many_variant_names',
  'too_many_rows',
  'too_many_instances',
  'too_many_strategies',
  'too_many_projects',
  'too_many_strategy_names',
  'too_many_project_names',
  // Rows of Unleash's history and data points of OpenTelemetry can have it. The schema of a batch allows no such count.
  'invalid_count',
  'too_many_relays',
  // Only samples of impact metrics have these.
  'invalid_sample',
  'too_many_labels',
  'too_many_buckets',
  'too_many_series',
  'too_many_bounds',
  // Only data points of OpenTelemetry have these.
  'not_a_counter',
  'no_instance',
  'no_start_time',
  'unreadable_attributes',
  'key_too_long',
  'unknown_start',
  'counter_fell',
  'too_many_counters',
] as const;

/** Why a metric that fits the schema is not counted, or a sample of an impact metric. */
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Those that depend on earlier points of a counter, so that only the worker finds them, after the answer. */
export const REASONS_OF_WORKER: ReadonlySet<RefusalReason> = new Set([
  'unknown_start',
  'counter_fell',
  'too_many_counters',
]);

/** What was refused. */
export const REFUSED_KINDS = ['metric', 'application', 'sample'] as const;
export type RefusedKind = (typeof REFUSED_KINDS)[number];

/**
 * Metrics (or applications, or samples of impact metrics) of one batch that were refused for the same reason. The names are safe to
 * show, `metrics` is their number, and `sample` is the refused value of the first one, or '' if it is unknown. A sample has the name of
 * its impact metric as `featureName`.
 */
export type Refusal = {
  readonly kind: RefusedKind;
  readonly reason: RefusalReason;
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly metrics: number;
  readonly sample: string;
  /** The JSON pointer of the first one in its body, without names that the sender chose. Messages do not contain it. */
  readonly place?: string;
};

export type RefusalLimits = {
  readonly maxAgeMs: number;
  readonly maxFutureMs: number;
  readonly maxVariants: number;
};

export const DEFAULT_REFUSAL_LIMITS: RefusalLimits = {
  maxAgeMs: 30 * 24 * 3_600_000,
  maxFutureMs: 14 * 3_600_000,
  maxVariants: 100,
};

type NameCheck = (name: string) => NameProblem | undefined;

/** Checks names against the rules. It caches the result of each name, because a batch repeats a few names many times. */
export function createNameChecks(): { readonly name: NameCheck; readonly environment: NameCheck } {
  return {
    name: remembered(problemOfName),
    environment: remembered((name) => problemOfName(name, MAX_ENVIRONMENT_LENGTH)),
  };
}

function remembered(check: NameCheck): NameCheck {
  const problems = new Map<string, NameProblem | 'fine'>();
  return (name) => {
    let problem = problems.get(name);
    if (problem === undefined) {
      problem = check(name) ?? 'fine';
      problems.set(name, problem);
    }
    return problem === 'fine' ? undefined : problem;
  };
}

type Refused = Pick<Refusal, 'kind' | 'reason'> &
  Partial<Pick<Metric, 'featureName' | 'appName' | 'environment'>>;

/** Shows the first of several equal refusals. */
type Example = Required<Pick<Refusal, 'sample' | 'place'>>;

function isEqual(one: Refused, other: Refused): boolean {
  return (
    one.reason === other.reason &&
    one.kind === other.kind &&
    one.featureName === other.featureName &&
    one.appName === other.appName &&
    one.environment === other.environment
  );
}

/** Adds up the refusals of one batch. Names are left out after 100 different refusals, so that the size is bounded. */
export class RefusalSums {
  static readonly MAX_DISTINCT = 100;
  readonly #sums = new Map<string, Refusal & { metrics: number }>();
  /** Names as they are shown. A body repeats a few names, and each is made displayable once. */
  readonly #shown = new Map<string, string>();
  /** A dear body repeats one refusal thousands of times, so the last one is found without its key. */
  #last: { readonly refusal: Refused; readonly sum: { metrics: number } } | undefined;

  /** `describe` is called only for the first of several equal refusals. */
  add(refusal: Refused, describe: () => Example): void {
    if (this.#last !== undefined && isEqual(this.#last.refusal, refusal)) {
      this.#last.sum.metrics += 1;
      return;
    }
    const sum = this.#sumOf(refusal, describe);
    sum.metrics += 1;
    this.#last = { refusal, sum };
  }

  toArray(): Refusal[] {
    return [...this.#sums.values()];
  }

  #sumOf(refusal: Refused, describe: () => Example): { metrics: number } {
    const named = {
      featureName: this.#show(refusal.featureName),
      appName: this.#show(refusal.appName),
      environment: this.#show(refusal.environment),
    };
    const { kind, reason } = refusal;
    const ofNames = this.#sums.get(keyOfRefusal({ kind, reason, ...named }));
    if (ofNames !== undefined) return ofNames;
    const names = this.#sums.size < RefusalSums.MAX_DISTINCT ? named : NO_NAMES;
    const key = keyOfRefusal({ kind, reason, ...names });
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    const { sample, place } = describe();
    // The worker cannot decode another sample, and then the whole message is not counted.
    const sum = { kind, reason, ...names, metrics: 0, sample: displayableName(sample), place };
    this.#sums.set(key, sum);
    return sum;
  }

  #show(name = ''): string {
    let shown = this.#shown.get(name);
    if (shown === undefined) {
      shown = displayableName(name);
      this.#shown.set(name, shown);
    }
    return shown;
  }
}

/** Replaces names that are left out. */
export const NO_NAMES = { featureName: '', appName: '', environment: '' };

/** Refusals with the same key are added up. */
export function keyOfRefusal(refusal: Omit<Refusal, 'metrics' | 'sample' | 'place'>): string {
  const { kind, reason, environment, appName, featureName } = refusal;
  return JSON.stringify([kind, reason, environment, appName, featureName]);
}
