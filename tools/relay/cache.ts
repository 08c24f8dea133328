import type { RelayApplication } from '#tooling/traffic';
import { type Evaluations, type ImpactMetric, type RelayBatch, type RelayMetric, toMetric } from './batch.ts';
import { hourOfTimestamp } from './sums.ts';

/** The data that a relay collects until its next push. */
export type Cache = {
  /** Ignores evaluations without a yes or no. */
  record(evaluations: Evaluations): void;
  register(application: RelayApplication): void;
  addImpact(environment: string, metric: ImpactMetric): void;
  seeToken(environment: string, secret: string): void;
  /** The environments that have data other than applications. */
  environments(): string[];
  /** Returns all registrations. It forgets those with an instance id; the others are sent with every push. */
  drainApplications(): RelayApplication[];
  /** Returns and removes the data of an environment. */
  drain(environment: string): Omit<RelayBatch, 'applications'>;
  /** Merges an undelivered batch back: adds its counts to newer ones. */
  mergeBack(environment: string, batch: RelayBatch): void;
};

type Held = {
  /** By app, feature and hour. The first timestamp of an hour is kept. */
  readonly metrics: Map<string, RelayMetric>;
  impactMetrics: ImpactMetric[];
  readonly seenTokens: Set<string>;
};

export function createCache(): Cache {
  const applications = new Map<string, RelayApplication>();
  const environments = new Map<string, Held>();
  const heldOf = (environment: string): Held => {
    const held = environments.get(environment) ?? startHeld();
    environments.set(environment, held);
    return held;
  };
  const register = (application: RelayApplication): void => {
    applications.set(JSON.stringify([application.appName, application.instanceId]), application);
  };
  return {
    record(evaluations) {
      const metric = toMetric(evaluations);
      if (metric.yes + metric.no > 0) addMetric(heldOf(metric.environment), metric);
    },
    register,
    addImpact: (environment, metric) => void heldOf(environment).impactMetrics.push(metric),
    seeToken: (environment, secret) => void heldOf(environment).seenTokens.add(secret),
    environments: () => [...environments].filter(([, held]) => hasContent(held)).map(([name]) => name),
    drainApplications() {
      const drained = [...applications.values()];
      for (const [key, { instanceId }] of applications) if (instanceId !== null) applications.delete(key);
      return drained;
    },
    drain(environment) {
      const { metrics, impactMetrics, seenTokens } = environments.get(environment) ?? startHeld();
      environments.delete(environment);
      return { metrics: [...metrics.values()], impactMetrics, seenTokens: [...seenTokens] };
    },
    mergeBack(environment, batch) {
      const held = heldOf(environment);
      for (const metric of batch.metrics) addMetric(held, metric);
      held.impactMetrics = [...batch.impactMetrics, ...held.impactMetrics];
      for (const secret of batch.seenTokens) held.seenTokens.add(secret);
      for (const application of batch.applications) register(application);
    },
  };
}

function hasContent({ metrics, impactMetrics, seenTokens }: Held): boolean {
  return metrics.size + impactMetrics.length + seenTokens.size > 0;
}

function startHeld(): Held {
  return { metrics: new Map(), impactMetrics: [], seenTokens: new Set() };
}

function addMetric({ metrics }: Held, metric: RelayMetric): void {
  const key = JSON.stringify([metric.appName, metric.featureName, hourOfTimestamp(metric.timestamp)]);
  const first = metrics.get(key);
  metrics.set(key, first === undefined ? metric : addCounts(first, metric));
}

function addCounts(first: RelayMetric, { yes, no, variants }: RelayMetric): RelayMetric {
  const sums: Record<string, number> = { ...first.variants };
  for (const [variant, count] of Object.entries(variants)) sums[variant] = (sums[variant] ?? 0) + count;
  return { ...first, yes: first.yes + yes, no: first.no + no, variants: sums };
}
