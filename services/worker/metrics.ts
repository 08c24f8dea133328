import type { Block } from '#core/counting';
import { Counter, Gauge, Histogram, type Registry } from '#base/runtime';

/** Operations on a store that the worker repeats until they succeed. */
const ATTEMPTED = [
  'take over',
  'insert',
  'keep dead letters',
  'register applications',
  'store relay reports',
] as const;
export type Attempted = (typeof ATTEMPTED)[number];

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

export function createWorkerMetrics(registry: Registry) {
  const registers = [registry];
  const blocks = new Counter({ name: 'flagmeter_worker_blocks_total', help: 'Blocks stored', registers });
  const metrics = new Counter({
    name: 'flagmeter_worker_metrics_total',
    help: 'Metrics in stored blocks, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const failedAttempts = new Counter({
    name: 'flagmeter_worker_failed_attempts_total',
    help: 'Failed attempts that are repeated, by operation',
    labelNames: ['attempted'],
    registers,
  });
  // A series that starts with its first failure would hide that failure from rate().
  for (const attempted of ATTEMPTED) failedAttempts.inc({ attempted }, 0);
  return {
    insertSeconds: new Histogram({
      name: 'flagmeter_worker_insert_seconds',
      help: 'Time to store a block, including repetitions',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    failedAttempts,
    registrations: new Counter({
      name: 'flagmeter_worker_registrations_total',
      help: 'Application instances written to Postgres',
      registers,
    }),
    relayReports: new Counter({
      name: 'flagmeter_worker_relay_reports_total',
      help: 'Reports of relays stored, those of nested relays included',
      registers,
    }),
    lag: new Gauge({
      name: 'flagmeter_worker_lag_messages',
      help: 'Messages after the last one handled',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    deduplicationWindowUsed: new Gauge({
      name: 'flagmeter_worker_deduplication_window_used_ratio',
      help: 'Share of the deduplication window used since the block in doubt was first sent; 0 while none is in doubt',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    slowFetchOf: createSlowFetches(registry),
    recordBlock({ tally }: Block): void {
      blocks.inc();
      for (const [outcome, count] of Object.entries(tally)) metrics.inc({ outcome }, count);
    },
  };
}

/** Returns what adds the time by which a fetch of a topic was slow. */
function createSlowFetches(registry: Registry): (topic: string) => (ms: number) => void {
  const seconds = new Counter({
    name: 'flagmeter_worker_slow_fetch_seconds_total',
    help: 'Seconds by which fetches took longer than their wait for messages, because of a quota of Kafka or a slow connection',
    labelNames: ['topic'],
    registers: [registry],
  });
  return (topic) => {
    seconds.inc({ topic }, 0);
    return (ms) => {
      seconds.inc({ topic }, ms / 1000);
    };
  };
}
