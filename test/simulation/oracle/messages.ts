import { type CountsMessage, decodeCounts } from '#core/counting';
import { storedTo } from '../incidents/operator.ts';
import type { PartitionLog } from '../kafka/partition-log.ts';
import type { CountsLog, Range } from '../losses.ts';
import { COUNTS } from '../names.ts';
import type { World } from '../world.ts';

export function countsLogs({ brokers, clickhouse, lostLogs }: World): CountsLog[] {
  const epoch = clickhouse[0]?.epoch ?? 0;
  const present = (brokers.topics.get(COUNTS) ?? []).map((log, partition) => ({ epoch, partition, log }));
  return [...lostLogs, ...present];
}

/** Replicated messages of a log that were lost before they were counted, as an operator knows. */
export function lostRanges(world: World, { epoch, partition, log }: CountsLog): Range[] {
  const accepted = world.losses.filter((loss) => loss.epoch === epoch && loss.partition === partition);
  const isLost = world.lostLogs.some((lost) => lost.log === log);
  return isLost ? [{ from: storedTo(world, epoch, partition), to: log.replicatedTo }] : accepted;
}

export function isWithin(ranges: readonly Range[], offset: number): boolean {
  return ranges.some(({ from, to }) => from <= offset && offset < to);
}

/** The replicated messages of a log by their offset; undefined for one that cannot be decoded. */
export function readMessages(log: PartitionLog): (CountsMessage | undefined)[] {
  return log.read(0, Infinity).map(({ value }) => {
    const decoded = decodeCounts(value === null ? null : Buffer.from(value));
    return 'problem' in decoded ? undefined : decoded.message;
  });
}
