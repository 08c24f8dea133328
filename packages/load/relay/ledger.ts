import type { PushResult } from './answers.ts';
import type { RelayBatch, RelayMetric } from './batch.ts';
import { type CountSum, sumMetrics } from './sums.ts';

/**
 * What became of a request in the end. `unknown`: no try of it was answered (so far), so it may be stored, and after the
 * last try it is merged back all the same.
 */
export type Outcome = PushResult | 'unknown';

/** One try; `status` is undefined where no answer came. */
export type Attempt = {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number | undefined;
};

/** One body, with all tries to deliver it. */
export type Delivery = {
  /** Counts from 1. */
  readonly id: number;
  readonly environment: string;
  readonly metrics: readonly RelayMetric[];
  readonly applications: number;
  readonly sizeBytes: number;
  readonly attempts: readonly Attempt[];
  readonly outcome: Outcome;
};

/** The side of the relay's delivery that the relay writes. */
export type OpenDelivery = {
  readonly id: number;
  addAttempt(attempt: Attempt): void;
  settle(outcome: Outcome): void;
};

export type Ledger = {
  readonly deliveries: readonly Delivery[];
  open(environment: string, batch: RelayBatch, sizeBytes: number): OpenDelivery;
  /** Exact metrics of all requests that ended so. */
  metricsOf(outcome: Outcome): RelayMetric[];
  /** What must be stored: the sums of everything acknowledged. */
  acknowledged(): CountSum[];
};

export function createLedger(): Ledger {
  const deliveries: (Delivery & { attempts: Attempt[]; outcome: Outcome })[] = [];
  const metricsOf = (wanted: Outcome): RelayMetric[] =>
    deliveries.flatMap(({ outcome, metrics }) => (outcome === wanted ? metrics : []));
  return {
    deliveries,
    open(environment, { applications, metrics }, sizeBytes) {
      const id = deliveries.length + 1;
      const delivery = {
        id,
        environment,
        metrics,
        applications: applications.length,
        sizeBytes,
        attempts: [] as Attempt[], // an empty literal has no element type
        outcome: 'unknown' as Outcome, // widened: it is settled later
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
    acknowledged: () => sumMetrics(metricsOf('acknowledged')),
  };
}
