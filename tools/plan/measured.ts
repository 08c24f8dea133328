import { type Cores, PARTS, type Part, coresOf } from './plan.ts';
import { type Keys, MANY, REALISTIC } from './load.ts';

/** A measurement of the run of 21 November in docs/develop/performance.md with the whole system: means of both rounds. */
export type Measured = {
  readonly title: string;
  readonly rows: number;
  readonly keys: Keys;
  readonly requestsPerSecond: number;
  /** CPU ms for each 1,000 rows. */
  readonly cpu: Cores;
};

export const MEASURED: readonly Measured[] = [
  {
    title: 'everything: 480 rows',
    rows: 480,
    keys: REALISTIC,
    requestsPerSecond: 1042,
    cpu: { ingest: 1.43, Kafka: 0.3, worker: 0.53, ClickHouse: 1.56 },
  },
  {
    title: 'everything: 100 rows',
    rows: 100,
    keys: REALISTIC,
    requestsPerSecond: 2366,
    cpu: { ingest: 2.99, Kafka: 0.94, worker: 0.91, ClickHouse: 3.03 },
  },
  {
    title: 'everything: 10 rows',
    rows: 10,
    keys: REALISTIC,
    requestsPerSecond: 4688,
    cpu: { ingest: 17.88, Kafka: 5.47, worker: 2.8, ClickHouse: 8.02 },
  },
  {
    title: 'everything: 480 rows, many keys',
    rows: 480,
    keys: MANY,
    requestsPerSecond: 868,
    cpu: { ingest: 1.8, Kafka: 0.41, worker: 1.48, ClickHouse: 7.29 },
  },
];

/** The calculated CPU of a measured load divided by the measured one, for each part. */
export function compare({ rows, keys, requestsPerSecond, cpu }: Measured): Cores {
  const one = { kafkaReplicas: 1, clickHouseReplicas: 1 };
  const cores = coresOf({ rows, keys, requestsPerSecond }, { workers: 1, partitions: 2 }, one);
  const ratio = (part: Part): number => (cores[part] * 1e6) / (requestsPerSecond * rows) / cpu[part];
  return Object.fromEntries(PARTS.map((part) => [part, ratio(part)])) as Cores;
}
