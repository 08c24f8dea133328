import { countOtherEpochs, readCurrentEpoch, readExtent, readRangeAt } from '#core/clickhouse';
import { type BlockRange, decodeIntent } from '#core/counting';
import { isHistoryInDoubt } from '#unleash/history';
import { countMembers, openCommittedOffsets, readOffsetsAt, readWatermarks } from '#core/kafka';
import { FlagmeterError } from '#base/runtime';
import { createReplaysInDoubt } from './dead-letter-replays.ts';
import type { Engines } from './engines.ts';

/** For each partition: the messages that the log still has, and the offset up to which the worker has counted. */
export type LogRanges = {
  readonly epoch: number;
  readonly partitions: ReadonlyMap<number, { readonly low: bigint; readonly committed: bigint }>;
};

const KAFKA_DEADLINE_MS = 30_000;

/** Reads the ranges; throws while the worker counts or the outcome of a block is unknown. */
export async function readLogRanges(engines: Engines): Promise<LogRanges> {
  const { config, kafka, shards, db, log } = engines;
  const { groupPrefix, topics } = config.kafka;
  for (const group of ['counts', 'applications']) {
    const members = await countMembers(kafka, `${groupPrefix}-${group}`);
    if (members > 0) {
      const message = `${members} workers belong to the group ${groupPrefix}-${group}: stop every worker first`;
      throw new FlagmeterError('worker-running', message);
    }
  }
  if ((await createReplaysInDoubt(db).list()).length > 0) {
    const message = 'a replay of dead letters was interrupted: complete it first by "flagmeter dead replay"';
    throw new FlagmeterError('replay-in-doubt', message);
  }
  if (await isHistoryInDoubt(db)) {
    const message = 'an import was interrupted: complete it first by "flagmeter import-unleash --yes"';
    throw new FlagmeterError('history-in-doubt', message);
  }
  const epoch = await readCurrentEpoch(shards, topics.counts);
  if (epoch === 0) {
    throw new FlagmeterError('no-epoch', `${topics.counts} was never set up: run "flagmeter migrate"`);
  }
  const watermarks = await readWatermarks(kafka, topics.counts);
  const offsets = await openCommittedOffsets(kafka, {
    groupId: `${groupPrefix}-counts`,
    log,
    signal: AbortSignal.timeout(KAFKA_DEADLINE_MS),
  });
  try {
    const partitions = new Map<number, { low: bigint; committed: bigint }>();
    for (const [partition, { low, high }] of watermarks) {
      const key = { topic: topics.counts, epoch, partition };
      const read = await offsets.read(topics.counts, partition);
      const committed = read?.offset ?? low;
      const place = `${topics.counts}/${partition}`;
      if (decodeIntent(read?.metadata ?? null) !== undefined) {
        const message = `${place}: a block is in doubt; start a worker, let it store the block, and stop it`;
        throw new FlagmeterError('block-in-doubt', message);
      }
      const { storedTo = committed } = await readExtent(shards.of(partition), key, low);
      if (storedTo > committed || committed > high || committed < low) {
        const message = `${place}: committed ${committed}, blocks up to ${storedTo}, log from ${low} to ${high}: see "discontinuity" in docs/operate/repair.md`;
        throw new FlagmeterError('discontinuity', message);
      }
      partitions.set(partition, { low, committed });
    }
    return { epoch, partitions };
  } finally {
    await offsets.close();
  }
}

/**
 * The assumed maximum difference between the clocks of ingest processes and brokers. It is also far longer than the window for
 * duplicates.
 */
const CLOCK_SLACK_MS = 3600_000;

export type Coverage = {
  /** The offset to start from, per partition. */
  readonly starts: ReadonlyMap<number, bigint>;
  /** The reasons why days from then on cannot be exact; empty if they can. */
  readonly obstacles: readonly string[];
};

/** Whether the log still has every message that can add to this day (ISO date) or a later one, and the offset of the first one. */
export async function readCoverage(
  engines: Engines,
  { epoch, partitions }: LogRanges,
  dayMs: number,
): Promise<Coverage> {
  const { config, kafka, shards } = engines;
  const topic = config.kafka.topics.counts;
  const limitMs = dayMs - config.ingest.limits.maxFutureMs - CLOCK_SLACK_MS;
  const firstAt = await readOffsetsAt(kafka, topic, limitMs);
  const starts = new Map<number, bigint>();
  const obstacles: string[] = [];
  for (const [partition, { low, committed }] of partitions) {
    const key = { topic, epoch, partition };
    const first = firstAt.get(partition) ?? low;
    const { messages, storedTo, appendedTo } = await readExtent(shards.of(partition), key, low);
    const endedBefore = storedTo === low && appendedTo < limitMs;
    if (low > 0n && first === low && !endedBefore) {
      obstacles.push(`the log of partition ${partition} begins after ${new Date(limitMs).toISOString()}`);
    }
    const isWhole = messages === committed - low;
    starts.set(partition, await startOf(engines, key, { low, first, committed, isWhole }));
  }
  const day = new Date(dayMs).toISOString().slice(0, 10);
  const counts = shards.all.map((shard) => countOtherEpochs(shard, { topic, epoch, day }));
  const others = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  if (others > 0) obstacles.push(`${others} blocks belong to an earlier topic that was lost`);
  return { starts, obstacles };
}

type Extent = {
  readonly low: bigint;
  readonly first: bigint;
  readonly committed: bigint;
  readonly isWhole: boolean;
};

/**
 * The start of the block with the first relevant message. If blocks are missing, the start of the log, because they are to be
 * restored. It is never within a block: the rest of that block would look like messages without a block.
 */
async function startOf(
  { shards }: Engines,
  key: Pick<BlockRange, 'topic' | 'epoch' | 'partition'>,
  { low, first, committed, isWhole }: Extent,
): Promise<bigint> {
  if (isWhole && first >= committed) return committed;
  const begin = isWhole ? first : low;
  const block = await readRangeAt(shards.of(key.partition), key, begin);
  if (block === undefined) return begin;
  return block.from >= low ? block.from : block.to;
}
