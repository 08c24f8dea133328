import { COUNTS, COUNTS_GROUP } from '../names.ts';
import type { World } from '../world.ts';

/** An operator sees a stopped worker, or a lost topic. */
const NOTICE_MS = 8000;
const LOOK_MS = 500;
/** A worker that does not stop until then is killed. */
const STOP_MS = 25_000;

/**
 * An operator stops every worker, waits until the group has no members, works, and starts the workers again. `work` returns false until
 * it has been done.
 */
export function withoutWorkers(
  { schedule, supervisor, workers, brokers, random }: World,
  work: () => boolean,
): void {
  const stop = (): void => {
    const deadline = schedule.now + STOP_MS;
    for (const worker of workers) worker.hold();
    const look = (): void => {
      if (schedule.now > deadline) for (const worker of workers) worker.kill();
      const isStopped =
        workers.every(({ server }) => !server.isUp) && brokers.groupOf(COUNTS_GROUP, COUNTS).isEmpty;
      if (isStopped && work()) for (const worker of workers) worker.release();
      else schedule.after(supervisor, LOOK_MS, { label: 'operator waits', action: look });
    };
    look();
  };
  schedule.after(supervisor, random() * NOTICE_MS, { label: 'operator stops workers', action: stop });
}

/** The same for work that is done at once. */
export function repair(world: World, work: () => void): void {
  withoutWorkers(world, () => {
    work();
    return true;
  });
}

/** Where the blocks of a partition end, on the replica that knows most. */
export function storedTo({ clickhouse }: World, epoch: number, partition: number): number {
  const ends = clickhouse.flatMap(({ content }) =>
    content.blocks
      .filter((block) => block.epoch === epoch && block.partition === partition)
      .map(({ to }) => to),
  );
  return Math.max(0, ...ends);
}

/** Whether a worker has begun a block and not committed its end. */
export function isAnyBlockOpen({ brokers }: World): boolean {
  const { committed } = brokers.groupOf(COUNTS_GROUP, COUNTS);
  return [...committed.values()].some(({ metadata }) => metadata !== '');
}
