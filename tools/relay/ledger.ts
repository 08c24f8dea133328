import type { PushResult } from './answers.ts';
import type { ImpactMetric, RelayBatch, RelayMetric } from './batch.ts';
import { type CountSum, sumMetrics } from './sums.ts';

/**
 * The final outcome of a request. `unknown`: no try was answered so far, so the batch may be stored. After the last try Edge
 * merges it back anyway.
 */
export type Outcome = PushResult | 'unknown';

/** One try; `status` is undefined without an answer. */
export type Attempt = {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | undefined;
};

/** One body with all tries to deliver it. */
export type Delivery = {
  /** Starts at 1. */
  readonly id: number;
  readonly environment: string;
  readonly metrics: readonly RelayMetric[];
  readonly impactMetrics: readonly ImpactMetric[];
  readonly applications: number;
  readonly sizeBytes: number;
  readonly attempts: readonly Attempt[];
  readonly outcome: Outcome;
};

/** The part of a delivery that the relay writes. */
export type OpenDelivery = {
  readonly id: number;
  addAttempt(attempt: Attempt): void;
  settle(outcome: Outcome): void;
};

export type Ledger = {
  readonly deliveries: readonly Delivery[];
  open(environment: string, batch: RelayBatch, sizeBytes: number): OpenDelivery;
  /** The exact metrics of all requests with this outcome. */
  metricsOf(outcome: Outcome): RelayMetric[];
  /** The exact impact metrics of all requests with this outcome. */
  impactOf(outcome: Outcome): ImpactMetric[];
  /** The data that must be stored: the sums of all acknowledged batches. */
  acknowledged(): CountSum[];
};

export function createLedger(): Ledger {
  const deliveries: (Delivery & { attempts: Attempt[]; outcome: Outcome })[] = [];
  const metricsOf = (wanted: Outcome): RelayMetric[] =>
    deliveries.flatMap(({ outcome, metrics }) => (outcome === wanted ? metrics : []));
  return {
    deliveries,
    open(environment, { applications, metrics, impactMetrics }, sizeBytes) {
      const id = deliveries.length + 1;
      const delivery = {
        id,
        environment,
        metrics,
        impactMetrics,
        applications: applications.length,
        sizeBytes,
        attempts: [] as Attempt[], // an empty literal has no element type
        outcome: 'unknown' as Outcome, // widened, because it is set later
      };
      deliveries.push(delivery);
      return {
        id,
        addAttempt: (attempt) => void delivery.attempts.push(attempt),
        settle(outcome) {
          delivery.outcome = outcome;
        },
      };
    },
    metricsOf,
    impactOf: (wanted) =>
      deliveries.flatMap(({ outcome, impactMetrics }) => (outcome === wanted ? impactMetrics : [])),
    acknowledged: () => sumMetrics(metricsOf('acknowledged')),
  };
}
