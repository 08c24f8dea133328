import { randomUUID } from 'node:crypto';
import { readRangesFrom, readSeriesForRebuild, shardOf } from '#core/clickhouse';
import type { Block } from '#core/counting';
import { readLog } from '#core/kafka';
import { readHistoryBlocks } from '#unleash/history';
import type { Engines } from './engines.ts';
import { type Letter, readLetters } from './letters.ts';
import type { Coverage, LogRanges } from './log-ranges.ts';
import { PartitionRebuild } from './partition-rebuild.ts';
import type { Scratch } from './scratch.ts';

type Reading = {
  readonly logRanges: LogRanges;
  readonly coverage: Coverage;
  readonly onProgress: (text: string) => void;
};

/**
 * Builds every relevant block of the log and of Unleash's history in the scratch database of its shard. Returns how many messages of the log
 * it has read.
 */
export async function readIntoScratch(
  engines: Engines,
  scratches: readonly Scratch[],
  { logRanges, coverage, onProgress }: Reading,
): Promise<number> {
  const { config, kafka, shards } = engines;
  const topic = config.kafka.topics.counts;
  const { epoch } = logRanges;
  let built = 0;
  const emit = async (block: Block, isStored: boolean): Promise<void> => {
    await scratches[shardOf(block.range.partition, scratches.length)]?.rebuilt.add(block, isStored);
    built += 1;
  };
  const letters = lettersByPartition(await readLetters(engines), { topic, epoch });
  const ranges = new Map<number, { from: bigint; to: bigint }>();
  const partitions = new Map<number, PartitionRebuild>();
  for (const [partition, { low, committed }] of logRanges.partitions) {
    const key = { topic, epoch, partition };
    const first = coverage.starts.get(partition) ?? low;
    const counters = await readSeriesForRebuild(shards.of(partition), key, first);
    // If the log does not reach that far, the proof shows it.
    const from = counters.from >= low ? counters.from : first;
    ranges.set(partition, { from, to: committed });
    const rebuild = new PartitionRebuild({
      key,
      from,
      committed,
      duplicateWindowMs: config.worker.duplicateWindowMs,
      series: counters.known,
      readRanges: (offset, limit) => readRangesFrom(shards.of(partition), key, { from: offset, limit }),
      letters: letters.get(partition) ?? new Map<bigint, Letter>(),
      emit,
    });
    partitions.set(partition, rebuild);
  }
  const total = [...ranges.values()].reduce((sum, { from, to }) => sum + Number(to - from), 0);
  let messages = 0;
  const groupId = `${config.kafka.groupPrefix}-replay-${randomUUID()}`;
  await readLog(kafka, { topic, groupId, ranges }, async (partition, fetched) => {
    await partitions.get(partition)?.add(fetched);
    messages += fetched.length;
    onProgress(`${messages} of ${total} messages read, ${built} blocks`);
  });
  for await (const block of readHistoryBlocks(engines.db)) await emit(block, true);
  for (const { rebuilt } of scratches) await rebuilt.flush();
  return messages;
}

function lettersByPartition(
  letters: readonly Letter[],
  { topic, epoch }: { readonly topic: string; readonly epoch: number },
): Map<number, Map<bigint, Letter>> {
  const partitions = new Map<number, Map<bigint, Letter>>();
  for (const letter of letters) {
    if (letter.topic !== topic || letter.epoch !== epoch) continue;
    const ofPartition = partitions.get(letter.partition) ?? new Map<bigint, Letter>();
    partitions.set(letter.partition, ofPartition.set(letter.offset, letter));
  }
  return partitions;
}
