import { type Origin, type RelayApplication, toOrigin, toTimestamp } from '#tooling/traffic';

/** The evaluations of one feature in one bucket of an SDK. The bucket starts `at` (epoch milliseconds). */
export type Evaluations = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly at: number;
  readonly yes?: number;
  readonly no?: number;
  readonly variants?: Readonly<Record<string, number>>;
  readonly origin?: Partial<Origin>;
};

export type RelayMetric = Origin & {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
};

type Labels = Readonly<Record<string, string | number>>;
type Sample = { readonly value: number; readonly labels?: Labels };
type HistogramSample = {
  readonly count: number;
  readonly sum: number;
  readonly buckets: readonly { readonly le: number | '+Inf'; readonly count: number }[];
  readonly labels?: Labels;
};

/** The members have the order of Edge (docs/develop/unleash.md#pushes-of-edge). */
export type ImpactMetric = { readonly name: string; readonly help: string } & (
  | { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  | { readonly type: 'histogram'; readonly samples: readonly HistogramSample[] }
);

/** The parts of a body, in the order in which Edge sends and splits them. */
export type RelayBatch = {
  readonly applications: readonly RelayApplication[];
  readonly metrics: readonly RelayMetric[];
  readonly impactMetrics: readonly ImpactMetric[];
  readonly seenTokens: readonly string[];
};

export const emptyBatch: RelayBatch = { applications: [], metrics: [], impactMetrics: [], seenTokens: [] };

/** Serialises the body. It always contains applications and metrics; empty lists of the other two are left out. */
export function serialiseBatch({ applications, metrics, impactMetrics, seenTokens }: RelayBatch): string {
  return JSON.stringify({
    applications,
    metrics,
    ...(impactMetrics.length > 0 ? { impactMetrics: impactMetrics.map(inOrder) } : {}),
    ...(seenTokens.length > 0 ? { seenTokens } : {}),
  });
}

function inOrder({ type, name, help, samples }: ImpactMetric): unknown {
  return { type, name, help, samples };
}

/** The members have the order of Edge (docs/develop/unleash.md#pushes-of-edge). */
export function toMetric(evaluations: Evaluations): RelayMetric {
  const { featureName, appName, environment, at, yes = 0, no = 0, variants = {}, origin } = evaluations;
  return {
    featureName,
    appName,
    environment,
    timestamp: toTimestamp(at),
    yes,
    no,
    variants,
    ...toOrigin(origin),
  };
}
