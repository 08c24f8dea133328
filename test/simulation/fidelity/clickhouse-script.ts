import { type ClickHouse, createBlocks, readRows } from '#core/clickhouse';
import type { Block } from '#core/counting';
import { readTargetStatus } from '../../../packages/core/clickhouse/blocks/markers.ts';
import { insertBlocks } from '../../../packages/core/clickhouse/blocks/insert-blocks.ts';
import { aDeadBlock } from '../../support/stack/engines/clickhouse/stored-blocks.ts';
import { isNight } from '../../support/nightly.ts';
import { countersBefore, historyOf, outcomeOf } from './script-answers.ts';
import {
  COUNTERS_PARTITION,
  COUNTS_PARTITION,
  blockAt,
  blockOfCounters,
  blockOfCounts,
} from './script-blocks.ts';

/** A ClickHouse, real or simulated, and what a test can do to it. */
export type ClickHouseSubject = {
  readonly db: ClickHouse;
  /** Evaluations, refusals, or billionths of samples, and messages of markers by table; and the number of blocks. */
  totals(): Promise<Readonly<Record<string, number>>>;
  /** The table forgets the tokens of INSERTs. */
  forgetTokens(table: string): Promise<void>;
  /** The table loses the rows of a Kafka partition and keeps their tokens. */
  loseRows(table: string, partition: number): Promise<void>;
  /** kill -9, and a start. */
  restart(): Promise<void>;
  /** kill -9 while an INSERT of this block runs, and a start. Which of its parts are then stored, the real engine decides. */
  killWithin(block: Block, insert: () => Promise<unknown>): Promise<void>;
};

/** Tables that lose the rows of a block: one that a view fills, and the one that blocks are found in. */
const LOSING = ['usage_hourly', 'blocks'];
const LOSING_AT_NIGHT = ['variants_daily', 'impact_daily'];

/** What happened, for a comparison: equal on a real ClickHouse and on a simulated one. */
export async function runClickHouseScript(subject: ClickHouseSubject, now: number): Promise<unknown[]> {
  const { db } = subject;
  const blocks = createBlocks(db);
  const answers: unknown[] = [];
  const note = async (what: string, answer: unknown): Promise<void> => {
    answers.push([what, answer, await subject.totals()]);
  };
  const [first, second, third] = [0n, 1n, 2n].map((from) => blockAt(from, now)) as [Block, Block, Block]; // three offsets

  const session = await blocks.openSession();
  await note('a session was opened', session !== undefined);
  await note('first INSERT', await outcomeOf(() => blocks.insert(first, session)));
  await note('the same INSERT again', await outcomeOf(() => insertBlocks(db, [first], { session })));
  await note(
    'the same with another token',
    await outcomeOf(() => insertBlocks(db, [second], { token: 'other' })),
  );
  await note('status of a stored block', await readTargetStatus(db, second));
  await note('its own token now', await outcomeOf(() => insertBlocks(db, [second])));
  await note('status when it is stored twice', await readTargetStatus(db, second));
  await note('status of a missing block', await readTargetStatus(db, third));
  await note('INSERT without the stored parts', await outcomeOf(() => leaveOut(db, third, 'usage_daily')));
  await note('status of a part that is missing', await readTargetStatus(db, third));
  await note(
    'INSERT in a session that never was',
    await outcomeOf(() => insertBlocks(db, [third], { session: 'none' })),
  );
  await note('completion of the missing part', await outcomeOf(() => blocks.complete(third)));
  await note('completion of a complete block', await outcomeOf(() => blocks.complete(third)));

  const alone = blockAt(0n, now, 7);
  await blocks.insert(alone, session);
  for (const table of isNight() ? [...LOSING, ...LOSING_AT_NIGHT] : LOSING) {
    await subject.loseRows(table, 7);
    await note(`status without the rows of ${table}`, await readTargetStatus(db, alone));
    await note('INSERT again', await outcomeOf(() => insertBlocks(db, [alone])));
    await note('completion', await outcomeOf(() => blocks.complete(alone)));
  }
  await subject.forgetTokens('usage_daily');
  await note('completion without the tokens of usage_daily', await outcomeOf(() => blocks.complete(alone)));
  await note('INSERT without the tokens of usage_daily', await outcomeOf(() => insertBlocks(db, [alone])));

  const counts = blockOfCounts(now);
  await note('INSERT of counts alone', await outcomeOf(() => blocks.insert(counts, session)));
  await note('the same INSERT again', await outcomeOf(() => insertBlocks(db, [counts])));
  await subject.loseRows('usage_daily', COUNTS_PARTITION);
  await note('completion of counts alone', await outcomeOf(() => blocks.complete(counts)));

  const counted = [4, 2, 9].map((value, index) => blockOfCounters(BigInt(index), { value, now }));
  for (const [index, block] of counted.entries()) {
    await note(
      `INSERT ${index} of counters and reasons`,
      await outcomeOf(() => blocks.insert(block, session)),
    );
    await note(`counters before offset ${index}`, await countersBefore(blocks, BigInt(index)));
  }
  await note('counters behind all blocks', await countersBefore(blocks, 3n));
  for (const block of counted)
    await note('completion of counters', await outcomeOf(() => blocks.complete(block)));
  await subject.loseRows('reasons_hourly', COUNTERS_PARTITION);
  for (const block of counted) {
    await note('status without reasons', await readTargetStatus(db, block));
    await note('completion of reasons', await outcomeOf(() => blocks.complete(block)));
  }

  const [whole, torn] = [blockAt(0n, now, 8), blockAt(0n, now, 9)];
  await insertBlocks(db, [whole], { session });
  await subject.restart();
  await note('status after a kill behind the commit', await readTargetStatus(db, whole));
  await note('session after a kill', await outcomeOf(() => insertBlocks(db, [whole], { session })));
  await note('INSERT again after a kill', await outcomeOf(() => insertBlocks(db, [whole])));
  await subject.killWithin(torn, () => insertBlocks(db, [torn]));
  await note('status after a kill within the INSERT', await readTargetStatus(db, torn));
  await note('INSERT with the same token', await outcomeOf(() => insertBlocks(db, [torn])));
  await note('status of the whole block', await readTargetStatus(db, torn));
  await note('completion after the kill', await outcomeOf(() => blocks.complete(torn)));

  await blocks.insert(aDeadBlock(3n));
  await note('history before offset 2', await historyOf(blocks, 2n));
  await note('history before offset 4', await historyOf(blocks, 4n));
  await note('part of the window', Math.round((await blocks.readWindowUsed(now - 60_000)) * 20_000));
  await note(
    'epoch',
    await readRows(db, 'select max(epoch) as epoch from topic_epochs where topic = {topic:String}', {
      topic: 'counts',
    }),
  );
  return answers;
}

function leaveOut(db: ClickHouse, block: Block, table: string): Promise<void> {
  const [day] = [...block.days.keys()];
  const month = new Date((day ?? 0) * 86_400_000).toISOString().slice(0, 7).replace('-', '');
  return insertBlocks(db, [block], { storedTargets: [`${table} ${month}`], token: 'partly' });
}
