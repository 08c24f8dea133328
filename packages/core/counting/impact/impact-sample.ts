/** The kinds of impact metrics, as SDKs send them. */
export const IMPACT_TYPES = ['counter', 'gauge', 'histogram'] as const;
export type ImpactType = (typeof IMPACT_TYPES)[number];

/** The observations above the bound before and up to this one. The last bound of a histogram is `+Inf`. */
export type Bucket = { readonly bound: string; readonly count: number };

/** What a sample adds to its series. Totals are billionths, see `billionthsOf`. */
export type ImpactValue =
  | { readonly type: 'counter'; readonly total: bigint }
  | { readonly type: 'gauge'; readonly value: number }
  | {
      readonly type: 'histogram';
      readonly total: bigint;
      readonly observations: number;
      readonly buckets: readonly Bucket[];
    };

/** Names and values of labels, in the order of the names. */
export type ImpactLabels = {
  readonly labelNames: readonly string[];
  readonly labelValues: readonly string[];
};

/** What one sender measured since its last report. */
export type ImpactSample = ImpactSeries & ImpactValue & { readonly help: string };

/** What values are added up for, in one hour. */
export type ImpactSeries = ImpactLabels & {
  readonly name: string;
  readonly appName: string;
  readonly environment: string;
  /** Empty if a relay has added up the samples of its instances. */
  readonly instanceId: string;
  /** Whole hours since the epoch. */
  readonly hour: number;
};

/** The samples of one batch. received = the number of samples + the refused ones. */
export type BatchImpact = { readonly received: number; readonly samples: readonly ImpactSample[] };

export const NO_IMPACT: BatchImpact = { received: 0, samples: [] };
