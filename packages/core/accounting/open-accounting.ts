import { setTimeout as sleep } from 'node:timers/promises';
import {
  CLICKHOUSE_TIMEOUT_MS,
  type DeadLetterAccounting,
  asReader,
  openClickHouse,
  openShards,
  readDeadLetterAccounting,
  readEpoch,
} from '#core/clickhouse';
import { type Watermarks, createKafka, readWatermarksSoon } from '#core/kafka';
import type { Config, Log } from '#base/runtime';
import {
  type Accounting,
  type Difference,
  type PartitionAccounting,
  findDifferences,
} from './differences.ts';
import { type Progress, findOpenBlocks } from './blocks/open-blocks.ts';
import { type OtherProgress, readProgress } from './blocks/read-progress.ts';
import { judgeShards, readShards } from './sharded-accounting.ts';
import type { StoredAccounting } from './stored-accounting.ts';
import { type MinutesUntil, type StoredMinute, readThroughput } from './throughput.ts';
import { Suspects } from './days/suspects.ts';
import { AccountingUnavailableError, readEngine } from './unavailable.ts';

/** Reads the accounting from the tables of blocks and usage, and from the log. */
export type AccountingReader = {
  /** The current accounting. It lists each partition of the log, even one without a block. */
  read(): Promise<Accounting>;
  /** The accounting, and the differences that remain after reading it again. */
  readAgreed(look?: Look): Promise<ComparedAccounting>;
  /** What was stored in each of the last 60 minutes. */
  readThroughput(until: MinutesUntil): Promise<StoredMinute[]>;
  close(): Promise<void>;
};

export type Look = {
  /** Only blocks stored since this time, and days that began since it (epoch milliseconds). */
  readonly since?: number | undefined;
  /** How long to read again before a difference is certain. */
  readonly settleMs?: number;
  /** How long all steps together may take. By default only each step has a deadline. */
  readonly withinMs?: number;
};

type Reading = Stepping & { readonly since?: number | undefined };

type Stepping = {
  /** Whether blocks that do not come from Kafka may be being stored. Only then they are asked for. */
  readonly withOthers?: boolean;
  /** How long the next step may take, in milliseconds. */
  readonly left?: () => number;
};

export type ComparedAccounting = {
  readonly accounting: Accounting;
  readonly differences: readonly Difference[];
  /** The numbers of all dead letters of the counts topic. */
  readonly deadLetters: DeadLetterAccounting;
};

/** A replica that lags shows a block in some tables long before the others. */
const SETTLE_MS = 10_000;
const PAUSE_MS = 250;
/** How many times `SETTLE_MS` to wait while the differences change with each read. */
const MAX_SETTLE_TIMES = 2;
const TOO_FAST =
  'Each read found other differences, as on a replica that is catching up, so the accounting cannot be compared at the moment.';
const TOO_SLOW =
  'Reading takes so long that a difference cannot be confirmed in time. flagmeter reconcile waits for it.';

export type AccountingOptions = {
  /**
   * How long to wait for an engine, by default as services do. Then an AccountingUnavailableError says which engine and why.
   */
  readonly deadlineMs?: number | undefined;
  readonly others?: OtherProgress;
};

export function openAccounting(
  config: Config,
  log: Log,
  { deadlineMs = CLICKHOUSE_TIMEOUT_MS, others: otherBlocks }: AccountingOptions = {},
): AccountingReader {
  const topic = config.kafka.topics.counts;
  const access = { ...asReader(config.clickhouse), readDeadlineMs: deadlineMs };
  const db = openClickHouse(access); // reads all shards
  const shards = openShards(access);
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-accounting', retries: 4, log });
  const groupId = `${config.kafka.groupPrefix}-counts`;
  const readProgressOf = async (
    epoch: number,
    { withOthers, left }: Required<Stepping>,
  ): Promise<Progress[]> => [
    ...(await readEngine('Kafka', readProgress(kafka, { groupId, topic, epoch }), left())),
    ...(withOthers && otherBlocks !== undefined
      ? await readEngine(otherBlocks.engine, otherBlocks.read(), left())
      : []),
  ];
  // The intents are read before and after the tables, because Kafka and ClickHouse have no common snapshot.
  const read = async ({
    since,
    withOthers = false,
    left = () => deadlineMs,
  }: Reading = {}): Promise<Accounting> => {
    const epoch = await readEngine('ClickHouse', readEpoch(db, topic), left());
    const before = await readProgressOf(epoch, { withOthers, left });
    const stored = await readEngine(
      'ClickHouse',
      readShards(shards.all, topic, { since, progress: before }),
      left(),
    );
    const [after, ends] = await Promise.all([
      readProgressOf(epoch, { withOthers, left }),
      // Last, because messages that were stored meanwhile would otherwise look like more than the log has.
      readEngine('Kafka', readWatermarksSoon(kafka, topic), left()),
    ]);
    const { partitions, ...others } = judgeShards(stored, findOpenBlocks(before, after));
    return { partitions: withLog(partitions, { topic, epoch, ends }), ...others };
  };
  return {
    read: () => read(),
    async readAgreed({ since, settleMs = SETTLE_MS, withinMs = Infinity } = {}) {
      const endsAt = performance.now() + withinMs;
      const left = (): number => Math.max(0, Math.min(deadlineMs, endsAt - performance.now()));
      const compared = await lookUntilCertain((withOthers) => read({ since, withOthers, left }), {
        settleMs,
        endsAt,
        otherTopic: otherBlocks?.topic,
      });
      const deadLetters = await readEngine('ClickHouse', readDeadLetterAccounting(db, topic), left());
      return { ...compared, deadLetters };
    },
    readThroughput: (until) => readEngine('ClickHouse', readThroughput(db, topic, until), deadlineMs),
    close: async () => {
      await Promise.all([db.close(), shards.close(), otherBlocks?.close()]);
    },
  };
}

type Patience = {
  readonly settleMs: number;
  /** The end of all steps, as `performance.now()` counts. */
  readonly endsAt: number;
  readonly otherTopic: string | undefined;
};

/** Reads again while a difference may come from a replica that has not fetched everything yet. */
async function lookUntilCertain(
  read: (withOthers: boolean) => Promise<Accounting>,
  { settleMs, endsAt, otherTopic }: Patience,
): Promise<Omit<ComparedAccounting, 'deadLetters'>> {
  const suspects = new Suspects();
  const startedAt = performance.now();
  let withOthers = false;
  for (;;) {
    const lookedAt = performance.now();
    const accounting = await read(withOthers);
    withOthers ||=
      otherTopic !== undefined &&
      accounting.days.some(({ wrong }) => wrong.some((place) => place.startsWith(otherTopic)));
    const suspected = suspects.look(findDifferences(accounting));
    if (suspected.length === 0) return { accounting, differences: [] };
    const differences = suspects.certain();
    const now = performance.now();
    const isSettled = now - startedAt >= settleMs;
    if (isSettled && differences.length === suspected.length) return { accounting, differences };
    const isTimeOver = now - startedAt >= MAX_SETTLE_TIMES * settleMs;
    // The next look takes as long as this one.
    const isLast = now + PAUSE_MS + (now - lookedAt) >= endsAt;
    if (isTimeOver || isLast) {
      if (!isSettled) throw new AccountingUnavailableError(TOO_SLOW);
      if (differences.length === 0) throw new AccountingUnavailableError(TOO_FAST);
      return { accounting, differences };
    }
    await sleep(PAUSE_MS);
  }
}

type LogExtent = {
  readonly topic: string;
  readonly epoch: number;
  readonly ends: ReadonlyMap<number, Watermarks>;
};

const NOTHING = {
  blocks: 0,
  gaps: 0,
  overlaps: 0,
  received: 0,
  counted: 0,
  refused: 0,
  refusedByReason: {},
  duplicate: 0,
  dead: 0,
  samples: { received: 0, counted: 0, refused: 0, duplicate: 0 },
};

/** Adds what only the log knows: messages in flight, and partitions without a block. */
function withLog(
  stored: StoredAccounting['partitions'],
  { topic, epoch, ends }: LogExtent,
): PartitionAccounting[] {
  // A topic that no longer exists is shown only if it has blocks.
  const shown = stored.filter((one) => one.epoch === epoch || one.blocks > 0);
  const partitions = shown.map((one) => {
    const end = one.epoch === epoch ? ends.get(one.partition)?.high : undefined;
    return { ...one, inFlight: end === undefined ? 0n : end - one.to };
  });
  const known = new Set(partitions.flatMap((one) => (one.epoch === epoch ? one.partition : [])));
  for (const [partition, { low, high }] of ends) {
    if (known.has(partition)) continue;
    partitions.push({ ...NOTHING, topic, epoch, partition, from: low, to: low, inFlight: high - low });
  }
  return partitions.sort((a, b) => a.epoch - b.epoch || a.partition - b.partition);
}
