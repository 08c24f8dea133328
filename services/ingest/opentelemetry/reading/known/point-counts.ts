import { type KnownCounts, knownEvaluationOf, viewOf } from '#core/counting';
import { type Found, type FoundPoint, MAX_EVALUATIONS, type Scope } from '../found.ts';
import { type EvaluationScope, evaluationsOf } from '../interpreting/evaluations.ts';
import { ownerOf } from '../interpreting/resources.ts';
import { counterOf, processOf, seriesOfPoint } from '../interpreting/series.ts';
import { type Attributes, NO_ATTRIBUTES } from '../mapping.ts';
import { BodyPlace } from '../place.ts';
import type { KnownAttributes, KnownPoint } from './known-points.ts';

/** Thrown if a body is left to the general path. It is created once, because a stack trace costs more than many points. */
export const OTHER_FORM = new Error('not in the form of known points');

/** A counter of evaluations, and what its points may say. */
export type KnownMetric = {
  readonly name: string;
  readonly kind: FoundPoint['kind'];
  readonly scope: Scope;
  readonly known: KnownAttributes;
};

/** The times of the points of a resource, without repetitions. */
export type PointTimes = { readonly at: number; readonly point: { readonly startedAt: number } }[];

export type PointCountsOptions = {
  readonly counts: KnownCounts;
  readonly scope: EvaluationScope;
  /** Reads the attributes at a position of the body. Throws if they are no attributes. */
  readonly attributesIn: (start: number, end: number) => Attributes;
  /** Reads all of them, see `seriesOfPoint`. */
  readonly seriesIn: (start: number, end: number) => Parameters<typeof seriesOfPoint>[1];
  /** How many points may be counted that say something new. */
  readonly mostNew: number;
};

/** How long a point takes, if a known one of a delta counter takes 1. */
const COST = { ofSeries: 5, ofNew: 10 } as const;
const NOWHERE = new BodyPlace('metrics', []);

/** Counts the points of a body by the bytes of their attributes. Throws OTHER_FORM for a point that it cannot count. */
export class PointCounts {
  readonly #view: DataView;
  readonly #options: PointCountsOptions;
  #metric: KnownMetric | undefined;
  #processOf: () => ReturnType<typeof processOf> = () => undefined;
  #left = MAX_EVALUATIONS;
  #leftNew: number;
  #times: PointTimes = [];
  /** Of the point before. */
  #at = NaN;
  #startedAt = NaN;
  /** Of the point before. */
  cost = 1;

  constructor(body: Uint8Array, options: PointCountsOptions) {
    this.#view = viewOf(body);
    this.#options = options;
    this.#leftNew = options.mostNew;
  }

  /** Points belong to this resource from now on. Their times are added to `times`. */
  beginResource(resource: Attributes, times: PointTimes): void {
    const { counts, scope } = this.#options;
    const owner = ownerOf(resource, scope.environment);
    counts.beginApplication(owner.appName, owner.environment);
    // Only cumulative points need it, and one hash is enough for all of them.
    let process: ReturnType<typeof processOf>;
    this.#processOf = () => (process ??= processOf(resource, owner));
    this.#times = times;
    this.#at = NaN;
  }

  beginMetric(metric: KnownMetric): void {
    if (metric.kind === 'other') throw OTHER_FORM;
    this.#metric = metric;
  }

  /** Points have these times from now on, epoch milliseconds. */
  setTimes(at: number, startedAt: number): void {
    if (at === this.#at && startedAt === this.#startedAt) return;
    this.#at = at;
    this.#startedAt = startedAt;
    this.#times.push({ at, point: { startedAt } });
  }

  /** Adds a point, by the position of its attributes. */
  add(start: number, end: number, value: number): void {
    const metric = this.#metric;
    this.#left -= 1;
    if (this.#left < 0 || metric === undefined) throw OTHER_FORM;
    this.cost = 1;
    const known = metric.known.find(this.#view, start, end - start) ?? this.#learn(metric, start, end);
    const isTaken =
      metric.kind === 'delta'
        ? this.#options.counts.add(known.evaluation, this.#at, value)
        : this.#addCumulative(known, this.#seriesOf(metric, known, { start, end }), value);
    if (!isTaken) throw OTHER_FORM;
  }

  #learn({ name: metric, known }: KnownMetric, start: number, end: number): KnownPoint {
    if (this.#leftNew === 0) throw OTHER_FORM;
    this.#leftNew -= 1;
    this.cost = COST.ofNew;
    const { scope, attributesIn } = this.#options;
    const attributes = attributesIn(start, end);
    const point = { metric, kind: 'delta', startedAt: 0, value: 1 } as const;
    const found: Found = { place: NOWHERE, at: 0, attributes, point };
    const [one] = evaluationsOf({ resources: [{ resource: NO_ATTRIBUTES, found: [found] }] }, scope);
    const evaluation = one && knownEvaluationOf(one);
    if (evaluation === undefined) throw OTHER_FORM;
    const learned: KnownPoint = { evaluation, series: undefined };
    known.add(this.#view, { start, length: end - start }, learned);
    return learned;
  }

  #addCumulative({ evaluation }: KnownPoint, series: string, value: number): boolean {
    const process = this.#processOf();
    const [at, startedAt] = [this.#at, this.#startedAt];
    if (typeof process !== 'string' || startedAt === 0 || at < startedAt) return false;
    const counter = counterOf(process, series, { startedAt });
    return this.#options.counts.addPoint(evaluation, at, {
      series: counter.series,
      startedAt: counter.startedAt,
      value,
    });
  }

  /** Most senders have one counter of a kind, so the series of the last one is enough. */
  #seriesOf(
    { name: metric, scope: scopeOf }: KnownMetric,
    known: KnownPoint,
    { start, end }: { readonly start: number; readonly end: number },
  ): string {
    this.cost = Math.max(this.cost, COST.ofSeries);
    const scope = scopeOf();
    if (typeof scope !== 'string') throw OTHER_FORM;
    const { series } = known;
    if (series?.scope === scope && series.metric === metric) return series.text;
    this.cost = COST.ofNew;
    const text = seriesOfPoint({ scope: scopeOf, metric }, this.#options.seriesIn(start, end));
    if (typeof text !== 'string') throw OTHER_FORM;
    known.series = { scope, metric, text };
    return text;
  }
}
