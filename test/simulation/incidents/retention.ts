import { COUNTS, COUNTS_GROUP, MIRROR_GROUP } from '../names.ts';
import type { World } from '../world.ts';
import type { Incident } from './incident.ts';
import { repair, storedTo, withoutWorkers } from './operator.ts';

const EVERY_MS = 10_000;
const FIRST_MS = 40_000;
const LOOK_MS = 200;

/** Kafka deletes messages that every group has handled. Nobody may notice. */
export function deleteCounted(world: World, random: () => number): Incident {
  const { schedule, supervisor, brokers } = world;
  const log: string[] = [];
  const next = (): void => {
    schedule.after(supervisor, random() * EVERY_MS, { label: 'retention', action: deleteOld });
  };
  const deleteOld = (): void => {
    const groups = [COUNTS_GROUP, ...(world.mirrors.length > 0 ? [MIRROR_GROUP] : [])];
    for (const [partition, counts] of (brokers.topics.get(COUNTS) ?? []).entries()) {
      const handled = groups.map((group) => committedTo(world, group, partition));
      counts.deleteTo(Math.min(...handled));
    }
    next();
  };
  log.push('handled messages are deleted');
  next();
  return {
    log,
    end: () => undefined,
    explains: () => false,
    judge: () => [],
  };
}

/**
 * Kafka deletes messages that are not counted. The worker stops, unless it has them in its memory, until an operator sets the offset to
 * the start of the log.
 */
export function deleteUncounted(world: World, random: () => number): Incident {
  const { schedule, supervisor, brokers, losses } = world;
  const log: string[] = [];
  let isOver = false;
  let partition: number | undefined;
  let isRepairing = false;
  const attempt = (): boolean => {
    if (isOver) return true;
    partition = deleteSome(world, random);
    if (partition !== undefined)
      log.push(`messages of partition ${partition} are deleted before they are counted`);
    return partition !== undefined;
  };
  const attemptSoon = (): void => {
    if (!attempt()) schedule.after(supervisor, LOOK_MS, { label: 'retention', action: attemptSoon });
  };
  const accept = (lost: number): void => {
    isRepairing = false;
    const { start } = brokers.logOf(COUNTS, lost);
    const from = storedTo(world, 1, lost);
    if (from < start) losses.push({ epoch: 1, partition: lost, from, to: start });
    const offset = String(Math.max(from, start));
    brokers.groupOf(COUNTS_GROUP, COUNTS).committed.set(lost, { offset, metadata: '' });
    log.push(`the operator sets the offset to ${offset}`);
  };
  const isWhileStopped = random() < 0.7;
  schedule.after(supervisor, random() * FIRST_MS, {
    label: 'retention',
    action: () => {
      if (isWhileStopped) withoutWorkers(world, attempt);
      else attemptSoon();
    },
  });
  return {
    log,
    end: () => {
      isOver = true;
    },
    explains: (code) => {
      const lost = partition;
      if (lost === undefined || (code !== 'log-gap' && code !== 'discontinuity')) return false;
      if (!isRepairing)
        repair(world, () => {
          accept(lost);
        });
      isRepairing = true;
      return true;
    },
    judge: () => [],
  };
}

/** Deletes messages behind the last block of a partition without an intent, but not its last message. */
function deleteSome(world: World, random: () => number): number | undefined {
  const { brokers } = world;
  const { committed } = brokers.groupOf(COUNTS_GROUP, COUNTS);
  for (const [partition, log] of (brokers.topics.get(COUNTS) ?? []).entries()) {
    const from = committedTo(world, COUNTS_GROUP, partition);
    const deletable = log.replicatedTo - 1 - from;
    if (deletable < 1 || (committed.get(partition)?.metadata ?? '') !== '') continue;
    log.deleteTo(from + 1 + Math.floor(random() * deletable));
    return partition;
  }
  return undefined;
}

function committedTo({ brokers }: World, group: string, partition: number): number {
  return Math.max(0, Number(brokers.groupOf(group, COUNTS).committed.get(partition)?.offset ?? 0));
}
