import { COUNTS } from '../names.ts';
import type { World } from '../world.ts';
import type { Incident } from './incident.ts';
import { isAnyBlockOpen, repair } from './operator.ts';

const FIRST_MS = 40_000;
const LOOK_MS = 200;

/**
 * The counts topic is lost, while the outcome of no block is unknown (docs/guarantees.md#limits-of-the-guarantees). An operator stops the
 * workers, and `flagmeter migrate` begins an epoch and creates the topic again.
 */
export function createTopicAgain(world: World, random: () => number): Incident {
  const { schedule, supervisor, brokers, lostLogs } = world;
  const log: string[] = [];
  let isOver = false;
  const lose = (): void => {
    if (isOver) return;
    if (isAnyBlockOpen(world)) {
      schedule.after(supervisor, LOOK_MS, { label: 'the topic is lost', action: lose });
      return;
    }
    const [server] = world.clickhouse;
    const epoch = server?.epoch ?? 0;
    log.push('the counts topic is lost');
    for (const [partition, lost] of brokers.deleteTopic(COUNTS).entries())
      lostLogs.push({ epoch, partition, log: lost });
    repair(world, () => {
      log.push('the operator creates the counts topic again');
      server?.beginEpoch();
      brokers.createTopic(COUNTS, world.partitions);
    });
  };
  schedule.after(supervisor, random() * FIRST_MS, { label: 'the topic is lost', action: lose });
  return {
    log,
    end: () => {
      isOver = true;
    },
    explains: () => false,
    judge: () => [],
  };
}
