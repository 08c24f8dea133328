import { FlagmeterError } from '#base/runtime';
import { caughtUp } from './client/catch-up.ts';
import { type ClickHouse, readRows } from './client/client.ts';
import type { Shards } from './client/shards.ts';

/** Epoch of a topic as this server knows it, for comparisons that may be repeated; 0 if none was recorded. */
export async function readEpoch(db: ClickHouse, topic: string): Promise<number> {
  const rows = await readRows<{ epoch: number }>(
    db,
    'select max(epoch) as epoch from topic_epochs where topic = {topic:String}',
    { topic },
  );
  return rows[0]?.epoch ?? 0;
}

/**
 * Epoch of a topic; 0 if none was recorded. An older one would repeat offsets, so replicas catch up first. All shards have the
 * same epoch before the topic exists, so unreachable ones do not matter. Rejects if all are.
 */
export async function readCurrentEpoch({ all }: Pick<Shards, 'all'>, topic: string): Promise<number> {
  const reads = await Promise.allSettled(
    all.map(async (shard) => readEpoch(await caughtUp(shard, ['topic_epochs']), topic)),
  );
  const epochs = reads.flatMap((read) => (read.status === 'fulfilled' ? [read.value] : []));
  const problems = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason as unknown] : []));
  const [problem = problems[0]] = problems.filter((one) => one instanceof FlagmeterError);
  if (epochs.length === 0 || problem instanceof FlagmeterError) throw problem;
  return Math.max(...epochs);
}

/** Records that a topic is about to be created again: its offsets will start from 0. */
export async function beginEpoch({ all }: Pick<Shards, 'all'>, topic: string): Promise<void> {
  const epochs: number[] = [];
  for (const shard of all) epochs.push(await readEpoch(await caughtUp(shard, ['topic_epochs']), topic));
  const epoch = Math.max(...epochs) + 1;
  for (const shard of all) await recordEpoch(shard, topic, epoch);
}

/** Brings shards up to the greatest epoch that one of them knows. One that was restored from a backup may know less. */
export async function shareEpoch({ all }: Pick<Shards, 'all'>, topic: string): Promise<void> {
  const epoch = await readCurrentEpoch({ all }, topic);
  for (const shard of all)
    if ((await readEpoch(shard, topic)) < epoch) await recordEpoch(shard, topic, epoch);
}

function recordEpoch(shard: ClickHouse, topic: string, epoch: number): Promise<unknown> {
  return shard.insert({
    table: 'topic_epochs',
    values: [{ topic, epoch }],
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
}
