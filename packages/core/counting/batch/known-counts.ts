import { hourOf } from '#base/schema';
import type { AggregateOptions } from '../aggregate-options.ts';
import { type KnownEvaluation, NO_ID } from '../evaluations/known-evaluation.ts';
import type { ReasonSums } from '../evaluations/reason-sums.ts';
import type { BatchNames } from '../names/batch-names.ts';
import { hashOfGroup, hashOfName, hashOfPair } from '../names/name-hash.ts';
import { createNameChecks } from '../refusals.ts';
import type { SeriesPoint } from '../series/series-point.ts';
import type { CountSums } from '../sums/count-sums.ts';
import type { AggregatedEvaluations } from './aggregate-evaluations.ts';

/** `value`: the evaluations since the start. */
type PointOfCounter = Pick<SeriesPoint, 'series' | 'startedAt' | 'value'>;

/** What the counts of a body are added to. */
export type KnownSums = { readonly counts: CountSums; readonly reasons: ReasonSums };

/** Begins to count bodies, in one process. Sums of an earlier body are used again. */
export function createKnownCounting(): (options: AggregateOptions, sums: KnownSums) => KnownCounts {
  let bodies = 0;
  return (options, sums) => {
    bodies += 1;
    sums.counts.clear();
    sums.reasons.clear();
    return new KnownCounts(bodies, options, sums);
  };
}

/**
 * Counts the known evaluations of a body as `aggregateEvaluations` does, in a fraction of the time. It refuses none: if it cannot count all of
 * them, `giveUpUnlessEnded` takes their names back, and the general path counts the body.
 */
export class KnownCounts {
  readonly #body: number;
  readonly #options: AggregateOptions;
  readonly #checks = createNameChecks();
  readonly #savepoint: number;
  readonly #sums: CountSums;
  readonly #reasons: ReasonSums;
  readonly #points: SeriesPoint[] = [];
  #received = 0;
  #isEnded = false;
  #appName = '';
  #environment = '';
  #appHash = 0;
  #environmentHash = 0;
  /** Ids of their names, for points. */
  #app = NO_ID;
  #environmentId = NO_ID;
  #isRefused = true;
  /** Of the evaluation before: its time, and its group or NO_ID. */
  #at = NaN;
  #hour = NaN;
  #group = NO_ID;
  #groupHash = 0;

  constructor(body: number, options: AggregateOptions, { counts, reasons }: KnownSums) {
    this.#sums = counts;
    this.#reasons = reasons;
    this.#body = body;
    this.#options = options;
    this.#savepoint = options.names?.savepoint() ?? 0;
  }

  /** Evaluations belong to this application from now on. */
  beginApplication(appName: string, environment: string): void {
    this.#appName = appName;
    this.#environment = environment;
    this.#appHash = hashOfName(appName);
    this.#environmentHash = hashOfName(environment);
    this.#app = NO_ID;
    this.#isRefused = this.#refuses(appName, environment);
    this.#at = NaN;
    this.#hour = NaN;
  }

  /** Counts evaluations; `at`: their time, epoch milliseconds, or 0. False if it cannot. */
  add(known: KnownEvaluation, at: number, count: number): boolean {
    if (!this.#takes(known, at, count)) return false;
    const sums = this.#sums;
    if (this.#group === NO_ID)
      this.#group = sums.groupId(sums.nameId(this.#appName), sums.nameId(this.#environment), this.#hour);
    const isNew = known.idsOf !== this.#body;
    if (isNew) {
      known.feature = sums.nameId(known.featureName);
      known.variant = NO_ID;
    }
    const { result } = known;
    sums.select(this.#group, known.feature);
    sums.add(1, result === 'enabled' ? count : 0, result === 'disabled' ? count : 0);
    if (known.variantName !== undefined && count > 0) {
      if (known.variant === NO_ID) known.variant = sums.nameId(known.variantName);
      sums.addVariant(known.variant, count);
    }
    if (result === 'unknown') sums.addUnknown(count);
    if (isNew) this.#nameOutcome(known);
    this.#reasons.add({ feature: known.feature, group: this.#group }, known, count);
    this.#received += 1;
    return true;
  }

  /** Adds a point of a cumulative counter. Only the worker knows how many of its evaluations are new. */
  addPoint(known: KnownEvaluation, at: number, { series, startedAt, value }: PointOfCounter): boolean {
    if (!this.#takes(known, at, value)) return false;
    const sums = this.#sums;
    if (known.idsOf !== this.#body) {
      this.#nameOutcome(known);
      known.feature = sums.nameId(known.featureName);
      known.variant = NO_ID;
    }
    if (this.#app === NO_ID) {
      this.#app = sums.nameId(this.#appName);
      this.#environmentId = sums.nameId(this.#environment);
    }
    if (known.variantName !== undefined && known.variant === NO_ID)
      known.variant = sums.nameId(known.variantName);
    this.#points.push({
      series,
      startedAt,
      at: Math.round(at * 1000),
      value,
      result: known.result,
      feature: known.feature,
      app: this.#app,
      environment: this.#environmentId,
      variant: known.variant === NO_ID ? undefined : known.variant,
      reason: known.reason,
      errorType: known.errorType,
      provider: known.provider,
    });
    this.#received += 1;
    return true;
  }

  /** What is counted of the whole body. */
  end(): AggregatedEvaluations {
    this.#isEnded = true;
    return {
      received: this.#received,
      sums: this.#sums,
      reasons: this.#reasons,
      points: this.#points,
      refusals: [],
    };
  }

  /** Takes the names of an unfinished body back, so that another path may count it. */
  giveUpUnlessEnded(): void {
    if (!this.#isEnded) this.#options.names?.rollBack(this.#savepoint);
  }

  #refuses(appName: string, environment: string): boolean {
    const { allowedEnvironment } = this.#options;
    if (this.#checks.name(appName) !== undefined) return true;
    if (this.#checks.environment(environment) !== undefined) return true;
    return allowedEnvironment !== '*' && environment !== allowedEnvironment;
  }

  #takes(known: KnownEvaluation, at: number, count: number): boolean {
    if (at !== this.#at && !this.#beginTime(at)) return false;
    const { names } = this.#options;
    return names === undefined || this.#admit(known, count, names);
  }

  #beginTime(at: number): boolean {
    if (this.#isRefused) return false;
    const { receivedAt, limits } = this.#options;
    const time = at || receivedAt;
    if (time < receivedAt - limits.maxAgeMs || time > receivedAt + limits.maxFutureMs) return false;
    this.#at = at;
    const hour = hourOf(time);
    if (hour === this.#hour) return true;
    this.#hour = hour;
    this.#group = NO_ID;
    this.#groupHash = hashOfGroup(this.#appHash, this.#environmentHash, this.#hour);
    return true;
  }

  /** In the order in which the general path admits names, because the last ones may find no room. */
  #admit(known: KnownEvaluation, count: number, names: BatchNames): boolean {
    const row = hashOfPair(this.#groupHash, known.featureHash);
    // If the row is known, so are its names.
    const hasRoom = names.knows('row', row) || this.#admitRow(known, row, names);
    if (!hasRoom) return false;
    if (known.variantName !== undefined && count > 0) {
      const ofVariant = hashOfPair(row, known.variantHash);
      if (!names.knows('row', ofVariant) && !admitBoth(names, known.variantHash, ofVariant)) return false;
    }
    if (known.providerName === undefined || names.knows('row', known.providerRow)) return true;
    return admitBoth(names, known.providerHash, known.providerRow);
  }

  #admitRow({ featureHash }: KnownEvaluation, row: number, names: BatchNames): boolean {
    return (
      names.admit('app', this.#appHash) &&
      names.admit('environment', this.#environmentHash) &&
      names.admit('feature', featureHash) &&
      names.admit('row', row)
    );
  }

  #nameOutcome(known: KnownEvaluation): void {
    const sums = this.#sums;
    known.reason = sums.nameId(known.reasonName);
    known.errorType = known.errorName === undefined ? undefined : sums.nameId(known.errorName);
    known.provider = known.providerName === undefined ? undefined : sums.nameId(known.providerName);
    known.idsOf = this.#body;
  }
}

/** A variant, or a provider, which takes as much room. */
function admitBoth(names: BatchNames, name: number, row: number): boolean {
  return names.admit('variant', name) && names.admit('row', row);
}
