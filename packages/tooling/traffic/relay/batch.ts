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

/** The registration of an SDK. A relay forgets a registration with an instance id after sending it. */
export type Registration = {
  readonly appName: string;
  readonly environment?: string;
  readonly projects?: readonly string[];
  readonly instanceId?: string;
  readonly connectionId?: string;
  readonly intervalMs?: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly strategies?: readonly string[];
  readonly origin?: Partial<Origin>;
};

/** Unknown values are sent as null; an unknown flavor is left out. */
export type Origin = {
  readonly sdkVersion: string | null;
  readonly sdkType: string | null;
  readonly yggdrasilVersion: string | null;
  readonly platformName: string | null;
  readonly platformVersion: string | null;
  readonly sdkFlavor?: string;
  readonly sdkFlavorVersion?: string;
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

export type RelayApplication = Origin & {
  readonly appName: string;
  readonly connectVia: readonly { readonly appName: string; readonly instanceId: string }[];
  readonly environment: string | null;
  readonly projects?: readonly string[];
  readonly instanceId: string | null;
  readonly connectionId: string | null;
  readonly interval: number;
  readonly started: string;
  readonly strategies: readonly string[];
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

/** The members have the order of Edge (docs/develop/unleash.md#pushes-of-edge); `via` is the relay itself. */
export function toApplication(
  registration: Registration,
  via: { readonly appName: string; readonly instanceId: string },
): RelayApplication {
  const { appName, environment, projects = [], instanceId, connectionId, origin } = registration;
  return {
    appName,
    connectVia: [via],
    environment: environment ?? null,
    ...(projects.length > 0 ? { projects } : {}),
    instanceId: instanceId ?? null,
    connectionId: connectionId ?? null,
    interval: registration.intervalMs ?? 15_000,
    started: toTimestamp(registration.startedAt),
    strategies: registration.strategies ?? [],
    ...toOrigin(origin),
  };
}

/** Metadata as Edge sends it, with null for what is not known. */
export function toOrigin(origin: Partial<Origin> = {}): Origin {
  const { sdkFlavor, sdkFlavorVersion } = origin;
  return {
    sdkVersion: origin.sdkVersion ?? null,
    sdkType: origin.sdkType ?? null,
    yggdrasilVersion: origin.yggdrasilVersion ?? null,
    platformName: origin.platformName ?? null,
    platformVersion: origin.platformVersion ?? null,
    ...(sdkFlavor === undefined ? {} : { sdkFlavor }),
    ...(sdkFlavorVersion === undefined ? {} : { sdkFlavorVersion }),
  };
}

/** RFC 3339 in UTC; whole seconds have no fraction. */
function toTimestamp(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
