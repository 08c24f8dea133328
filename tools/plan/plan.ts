import {
  BATCH_ID_BYTES,
  BATCH_ID_DAYS,
  FETCH_BYTES,
  HOURLY_DAYS,
  HOURLY_ROW_BYTES,
  IDLE_CORES,
  INSERT_MS,
  LARGEST_WORKER_ROWS,
  OWN_SEND_MS,
  PARTITIONS_THAT_SHARE_SENDS,
  STORED_ROW_MS,
  WORKER_STORED_ROW_MS,
  brokerMs,
  ingestMs,
  messageBytes,
  workerMs,
} from './costs.ts';
import { type Load, distinctKeys } from './load.ts';

export type Hardware = {
  /** Replicas of each partition in Kafka, and of each shard of ClickHouse. */
  readonly kafkaReplicas: number;
  readonly clickHouseReplicas: number;
  readonly coresPerBroker: number;
  readonly coresPerClickHouse: number;
  readonly kafkaHours: number;
  /** The part of a core that is planned for, because relays need answers in time at peaks too. */
  readonly busy: number;
};

export const DEFAULTS: Hardware = {
  kafkaReplicas: 3,
  clickHouseReplicas: 2,
  coresPerBroker: 8,
  coresPerClickHouse: 16,
  kafkaHours: 24,
  busy: 0.6,
};

export const PARTS = ['ingest', 'Kafka', 'worker', 'ClickHouse'] as const;
export type Part = (typeof PARTS)[number];

/** CPU in cores that are busy all the time, all replicas together. */
export type Cores = Readonly<Record<Part, number>>;

export type Plan = {
  readonly cores: Cores;
  readonly ingests: number;
  readonly workers: number;
  readonly partitions: number;
  readonly brokers: number;
  readonly shards: number;
  readonly blocksPerSecond: number;
  /** Rows that ClickHouse stores in a second, in each replica. */
  readonly storedPerSecond: number;
  readonly kafkaBytes: number;
  readonly clickHouseBytes: number;
  /** The part that needs the most cores. */
  readonly bound: Part;
};

/** What a load needs. A process of Node uses one core. */
export function planFor(load: Load, hardware: Hardware = DEFAULTS): Plan {
  const { kafkaReplicas, clickHouseReplicas, busy } = hardware;
  const workers = workersFor(load, hardware);
  const partitions = partitionsFor(workers);
  const { blocksPerSecond, storedPerSecond } = blocksOf(load, { workers, partitions });
  const cores = coresOf(load, { workers, partitions }, hardware);
  const planned = (part: Part, size = 1): number => Math.ceil(cores[part] / busy / size);
  const keys = load.keys.features * load.keys.apps;
  return {
    cores,
    ingests: planned('ingest'),
    workers,
    partitions,
    brokers: Math.max(kafkaReplicas, planned('Kafka', hardware.coresPerBroker)),
    shards: Math.ceil(cores.ClickHouse / clickHouseReplicas / busy / hardware.coresPerClickHouse),
    blocksPerSecond,
    storedPerSecond,
    kafkaBytes: bytesPerSecond(load) * hardware.kafkaHours * 3600 * kafkaReplicas,
    clickHouseBytes:
      clickHouseReplicas *
      (load.requestsPerSecond * BATCH_ID_DAYS * 86_400 * BATCH_ID_BYTES +
        keys * 24 * HOURLY_DAYS * HOURLY_ROW_BYTES),
    bound: boundOf(cores),
  };
}

/** The largest rate of requests that so many cores carry, and the part that needs most of them. */
export function largestFor(cores: number, load: Omit<Load, 'requestsPerSecond'>, hardware: Hardware) {
  const needs = (requestsPerSecond: number) => planFor({ ...load, requestsPerSecond }, hardware);
  const fits = (rate: number): boolean => sumOf(needs(rate).cores) <= cores * hardware.busy;
  let [from, to] = [0, 1e8];
  while (to - from > 1) {
    const middle = (from + to) / 2;
    if (fits(middle)) from = middle;
    else to = middle;
  }
  return { requestsPerSecond: from, plan: needs(from) };
}

export function sumOf(cores: Cores): number {
  return PARTS.reduce((sum, part) => sum + cores[part], 0);
}

type Division = { readonly workers: number; readonly partitions: number };

export function coresOf(
  load: Load,
  division: Division,
  { kafkaReplicas, clickHouseReplicas }: Pick<Hardware, 'kafkaReplicas' | 'clickHouseReplicas'>,
): Cores {
  const { requestsPerSecond, rows } = load;
  const isAlone = division.partitions > PARTITIONS_THAT_SHARE_SENDS;
  const ofRequests = (ms: number): number => (requestsPerSecond * ms) / 1000;
  const { blocksPerSecond, storedPerSecond } = blocksOf(load, division);
  const storing = (blocksPerSecond * INSERT_MS + storedPerSecond * STORED_ROW_MS) / 1000;
  return {
    ingest: ofRequests(ingestMs(rows) + (isAlone ? OWN_SEND_MS.ingest : 0)),
    Kafka: ofRequests(brokerMs(rows) * kafkaReplicas + (isAlone ? OWN_SEND_MS.broker : 0)),
    worker: ofRequests(workerMs(rows)) + (storedPerSecond * WORKER_STORED_ROW_MS) / 1000,
    ClickHouse: (storing + IDLE_CORES) * clickHouseReplicas,
  };
}

/** Enough for the rows, and then for the CPU that these workers need. More workers store more rows, but hardly. */
function workersFor(load: Load, hardware: Hardware): number {
  const planned = (workers: number): number => Math.max(1, Math.ceil(workers / hardware.busy));
  const byRows = planned((load.requestsPerSecond * load.rows) / LARGEST_WORKER_ROWS);
  const division = { workers: byRows, partitions: partitionsFor(byRows) };
  return Math.max(byRows, planned(coresOf(load, division, hardware).worker));
}

/** As many as workers, but two, which is best on two cores. */
function partitionsFor(workers: number): number {
  return Math.max(2, workers);
}

/** More than FETCH_BYTES for each worker and second make more fetches, not larger blocks. */
function blocksOf(load: Load, { workers, partitions }: Division) {
  const fetches = Math.max(1, bytesPerSecond(load) / workers / FETCH_BYTES);
  const blocksPerSecond = fetches * partitions;
  const rowsOfBlock = (load.requestsPerSecond * load.rows) / blocksPerSecond;
  return { blocksPerSecond, storedPerSecond: blocksPerSecond * distinctKeys(load.keys, rowsOfBlock) };
}

function bytesPerSecond({ requestsPerSecond, rows }: Load): number {
  return requestsPerSecond * messageBytes(rows);
}

function boundOf(cores: Cores): Part {
  return PARTS.reduce((largest, part) => (cores[part] > cores[largest] ? part : largest));
}
