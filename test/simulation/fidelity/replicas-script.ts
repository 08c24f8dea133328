import { type ClickHouse, createBlocks, runStatement } from '#core/clickhouse';
import type { Block } from '#core/counting';
import { insertBlocks } from '../../../packages/core/clickhouse/blocks/insert-blocks.ts';
import { readTargetStatus } from '../../../packages/core/clickhouse/blocks/markers.ts';
import { countersBefore, historyOf, outcomeOf } from './script-answers.ts';
import { blockAt, blockOfCounters } from './script-blocks.ts';

/** A replica, real or simulated, and what a test can do to it. */
export type ReplicaSubject = {
  /** Of this replica alone. */
  readonly db: ClickHouse;
  totals(): Promise<Readonly<Record<string, number>>>;
  /** While it lags, it fetches nothing from the other one. */
  setLagging(isLagging: boolean): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Waits until it has everything that was stored. */
  untilCaughtUp(): Promise<void>;
};

export type ReplicasSubject = {
  readonly first: ReplicaSubject;
  readonly second: ReplicaSubject;
  /** The first replica until it fails, then the second. */
  readonly both: ClickHouse;
};

/** What happened, for a comparison: equal on real replicas and on simulated ones. */
export async function runReplicasScript(
  { first, second, both }: ReplicasSubject,
  now: number,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  const running = new Map(Object.entries({ first, second }));
  const note = (what: string, answer: unknown): void => {
    answers.push([what, answer]);
  };
  /** Stores a block, after which the first replica fetches it. */
  const store = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    note(what, await outcomeOf(work));
    await running.get('first')?.untilCaughtUp();
    for (const [name, replica] of running) note(`totals of the ${name} replica`, await replica.totals());
  };
  const noteStatus = async (block: Block): Promise<void> => {
    for (const [name, { db }] of running)
      note(`status on the ${name} replica`, await readTargetStatus(db, block));
  };
  const windowUsed = async (db: ClickHouse): Promise<number> =>
    Math.round((await createBlocks(db).readWindowUsed(now - 60_000)) * 20_000);
  const [one, two, three, four] = [blockAt(0n, now), blockAt(1n, now), blockAt(2n, now), blockAt(3n, now)];
  const counted = [first, second, first].map(
    (replica, index) =>
      [blockOfCounters(BigInt(index), { value: [4, 2, 9][index] ?? 0, now }), replica] as const,
  );

  await second.setLagging(true);
  await store('INSERT on the first replica', () => insertBlocks(first.db, [one]));
  await noteStatus(one);
  await store('the same on the lagging one', () => insertBlocks(second.db, [one]));
  await store('completion by the lagging one', () => createBlocks(second.db).complete(one));
  await store('INSERT on the lagging one', () => insertBlocks(second.db, [two]));
  await noteStatus(two);
  await store('the same on the first one', () => insertBlocks(first.db, [two]));
  for (const [block, { db }] of counted) await store('INSERT of a counter', () => insertBlocks(db, [block]));
  for (const [block] of counted) await noteStatus(block);
  for (const { db } of [first, second]) note('part of the window', await windowUsed(db));
  note('wait of the lagging one', await outcomeOf(() => waitFor(second.db)));
  await second.setLagging(false);
  await second.untilCaughtUp();
  await noteStatus(one);
  for (const { db } of [first, second]) {
    note('part of the window', await windowUsed(db));
    note('history', await historyOf(createBlocks(db), 2n));
    note('counters', await countersBefore(createBlocks(db), 3n));
    await store('completion', () => createBlocks(db).complete(two));
  }

  await second.setLagging(true);
  await store('INSERT on the preferred replica', () => insertBlocks(both, [three]));
  await first.kill();
  running.delete('first');
  note('the same while it is away', (await outcomeOf(() => insertBlocks(both, [three]))) === 'done');
  await store('completion by the other one', () => createBlocks(both).complete(three));
  await noteStatus(three);
  await second.setLagging(false);
  note('wait for a replica that is away', await outcomeOf(() => waitFor(second.db)));
  await store('INSERT meanwhile', () => insertBlocks(both, [four]));
  await noteStatus(four);
  await first.start();
  running.set('first', first);
  for (const replica of [first, second]) await replica.untilCaughtUp();
  await store('completion at the end', () => createBlocks(both).complete(four));
  for (const block of [three, four]) await noteStatus(block);
  note('history', await historyOf(createBlocks(both), 4n));
  return answers;
}

/** As `caughtUp`, for a shorter time. */
async function waitFor(db: ClickHouse): Promise<void> {
  await runStatement(db, 'system sync replica `blocks` lightweight', { receive_timeout: 1 });
}
