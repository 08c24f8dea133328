import { COUNTS, FOREIGN } from '../names.ts';
import type { World } from '../world.ts';
import type { Incident } from './incident.ts';
import { repair } from './operator.ts';

const FIRST_MS = 40_000;
const MESSAGES = 150;
const AT_ONCE = 10;
const PAUSE_MS = 200;
/** The greatest `MAX_DEAD_LETTERS`, which the operator then sets. */
const RAISED = 1000;

/** Another program writes to the topic. The worker stops before it has kept too many dead letters, until an operator raises the limit. */
export function floodWithPoison(world: World, random: () => number): Incident {
  const { schedule, supervisor, brokers, maxDeadLetters } = world;
  const log: string[] = [];
  const problems: string[] = [];
  let isOver = false;
  const partition = Math.floor(random() * world.partitions);
  let sent = 0;
  let hasStopped = false;
  const writeSoon = (): void => {
    if (sent < MESSAGES) schedule.after(supervisor, random() * PAUSE_MS, { label: 'flood', action: write });
  };
  const write = (): void => {
    const values = Array.from({ length: AT_ONCE }, (_, index) =>
      Buffer.from(`${FOREIGN} ${sent + index} of a flood`),
    );
    brokers.append(
      { topic: COUNTS, partition, values },
      {
        resolve: () => {
          sent += AT_ONCE;
          writeSoon();
        },
        reject: writeSoon,
      },
    );
  };
  const raise = (): void => {
    log.push('the operator raises the limit of dead letters');
    for (const { name, content } of world.clickhouse) {
      const blocks = content.blocks.filter((block) => block.partition === partition);
      const dead = blocks.reduce((sum, { tally }) => sum + tally.dead, 0);
      if (dead > maxDeadLetters)
        problems.push(`${name}: ${dead} dead letters were kept before the worker stopped`);
    }
    world.maxDeadLetters = RAISED;
  };
  schedule.after(supervisor, random() * FIRST_MS, {
    label: 'flood',
    action: () => {
      if (isOver) return;
      log.push(`a flood of messages that nobody can decode, in partition ${partition}`);
      write();
    },
  });
  return {
    log,
    end: () => {
      isOver = true;
    },
    explains: (code) => {
      if (sent === 0 || code !== 'poison') return false;
      if (!hasStopped) repair(world, raise);
      hasStopped = true;
      return true;
    },
    *judge() {
      yield* problems;
      if (sent >= MESSAGES && !hasStopped)
        yield `no worker stopped at ${sent} messages that cannot be decoded`;
    },
  };
}
