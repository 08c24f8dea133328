/**
 * What a request and a row cost, fitted to the figures of docs/develop/performance.md (two cores, Node 20, two partitions, one broker).
 * CPU is in milliseconds of one core, for one request of `rows` rows. `measured.ts` compares the fit with the figures.
 */

/** Ingest: token, checks, JSON, sums, message, answer, and sends that several requests share. */
export const ingestMs = (rows: number): number => 0.18 + 0.00105 * rows;

/** The broker, for each replica of a partition. */
export const brokerMs = (rows: number): number => 0.055 + 0.00019 * rows;

/** The worker: decoding and sums. Each row that it stores costs more. */
export const workerMs = (rows: number): number => 0.03 + 0.00028 * rows;
export const WORKER_STORED_ROW_MS = 0.001;

/** Bytes of a message in Kafka. */
export const messageBytes = (rows: number): number => 500 + 23.5 * rows;

/**
 * Beyond about four partitions hardly any requests share a send. A whole send costs 0.5 ms, most of it in ingest. This is the upper
 * bound of what many partitions add.
 */
export const OWN_SEND_MS = { ingest: 0.4, broker: 0.1 } as const;
export const PARTITIONS_THAT_SHARE_SENDS = 4;

/** ClickHouse: an INSERT, whatever its size; a stored row, with its merges; and the idle server, as a part of a core. */
export const INSERT_MS = 25;
export const STORED_ROW_MS = 0.0064;
export const IDLE_CORES = 0.2;

/** The rows that one worker stored in a second when nothing else ran. */
export const LARGEST_WORKER_ROWS = 720_000;

/**
 * The worker fetched so many bytes or waited a second when the figures were measured; it now waits for eight MiB. Each partition in
 * a fetch makes one block.
 */
export const FETCH_BYTES = 2 * 1024 * 1024;

/** ClickHouse keeps the id and time of each batch for two days. They are random, so they hardly compress. */
export const BATCH_ID_BYTES = 32;
export const BATCH_ID_DAYS = 2;
/** A row of the hourly table on disk, with its projections, and the days for which it is kept by default. */
export const HOURLY_ROW_BYTES = 8;
export const HOURLY_DAYS = 90;
