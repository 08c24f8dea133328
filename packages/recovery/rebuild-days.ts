import { randomUUID } from 'node:crypto';
import { readStoredAccounting } from '#accounting';
import { mergeSeen, readCountTables, readRangesFrom, replaceDays, restoreBlocks } from '#clickhouse';
import { COMPARED_DAYS, isoDay, monthsOf, startOfDayMs } from '#counting';
import { readHistoryBlocks } from '#history';
import { readLog } from '#kafka';
import type { OperatorLock } from '#postgres';
import { FlagmeterError } from '#runtime';
import { type DayChange, type DayRange, compareDays, isSame } from './day-changes.ts';
import type { Engines } from './engines.ts';
import { type Letter, readLetters } from './letters.ts';
import { type Coverage, type LogRanges, readCoverage, readLogRanges } from './log-ranges.ts';
import { PartitionRebuild } from './partition-rebuild.ts';
import { RebuiltBlocks, type Scratch, withScratch } from './scratch.ts';

export type RebuildOptions = DayRange & {
  /** Continues even if the log is incomplete or the blocks disagree. */
  readonly allowIncomplete: boolean;
  /** Replaces the days by the rebuilt ones; otherwise nothing changes. */
  readonly apply: boolean;
  readonly lock: OperatorLock;
  readonly onProgress: (text: string) => void;
};

/** ClickHouse has lost blocks that also add to days outside of the range. `days` is the range with them. */
export class LostBlocks extends FlagmeterError {
  readonly days: DayRange;

  constructor(days: DayRange) {
    const range = `${isoDay(days.from)} --to ${isoDay(days.to)}`;
    const message = `ClickHouse has lost blocks that also add to other days; nothing was changed. Rebuild --from ${range}`;
    super('lost-blocks', message);
    this.days = days;
  }
}

export type Rebuild = {
  readonly changes: readonly DayChange[];
  readonly messages: number;
  readonly restoredBlocks: number;
  /** Why the days are not exact; empty unless incomplete days are allowed. */
  readonly obstacles: readonly string[];
};

/**
 * Rebuilds days (since the epoch, half-open) from the log. The order of effects:
 *
 *   1. build    read the log up to the committed offsets, and the imported history, into a scratch database
 *   2. prove    the rebuilt sums equal those of the blocks
 *   3. blocks   add the blocks that ClickHouse had lost
 *   4. replace  the days of each table, month by month, each in one step
 *   5. prove    the accounting agrees on these days, and nothing was counted in the meantime
 *
 * If it is interrupted before step 3, nothing has changed. Later, the accounting differs on these days until the rebuild runs
 * again.
 */
export async function rebuildDays(engines: Engines, options: RebuildOptions): Promise<Rebuild> {
  const { config } = engines;
  if (config.clickhouse.cluster !== '') {
    throw new FlagmeterError('cluster', 'days of a cluster cannot be rebuilt by this command');
  }
  if (startOfDayMs(options.from + COMPARED_DAYS) < Date.now()) {
    const message = `only the last ${COMPARED_DAYS - 1} days can be rebuilt: the hourly tables have no older rows`;
    throw new FlagmeterError('too-old', message);
  }
  const logRanges = await readLogRanges(engines);
  const coverage = await readCoverage(engines, logRanges, startOfDayMs(options.from));
  failUnless(options.allowIncomplete, coverage.obstacles);
  return withScratch(engines, async (scratch) => {
    const { messages, rebuilt } = await readIntoScratch(engines, scratch, { logRanges, coverage, options });
    const changes = await readChanges(engines, scratch, { rebuilt, options });
    const differing = changes.filter(({ after, blocks }) => !isSame(after, blocks));
    const disagreements = differing.map(
      ({ day, table, after, blocks }) =>
        `${day} ${table}: the log says ${after.join('/')}, the blocks say ${blocks.join('/')}`,
    );
    failUnless(options.allowIncomplete, disagreements);
    if (options.apply) await putInPlace(engines, scratch, { logRanges, options });
    return {
      changes,
      messages,
      restoredBlocks: rebuilt.restored,
      obstacles: [...coverage.obstacles, ...disagreements],
    };
  });
}

function failUnless(isAllowed: boolean, obstacles: readonly string[]): void {
  if (isAllowed || obstacles.length === 0) return;
  const shown = obstacles.slice(0, 10).map((obstacle) => `\n  ${obstacle}`);
  throw new FlagmeterError(
    'incomplete',
    `the days would not be exact; nothing was changed (--allow-incomplete continues anyway):${shown.join('')}`,
  );
}

type Reading = {
  readonly logRanges: LogRanges;
  readonly coverage: Coverage;
  readonly options: RebuildOptions;
};

/** Builds every relevant block of the log and of Unleash's history in the scratch database. */
async function readIntoScratch(
  engines: Engines,
  scratch: Scratch,
  { logRanges, coverage, options }: Reading,
): Promise<{ messages: number; rebuilt: RebuiltBlocks }> {
  const { config, kafka, clickhouse } = engines;
  const topic = config.kafka.topics.counts;
  const { epoch } = logRanges;
  const rebuilt = new RebuiltBlocks(scratch);
  const letters = lettersByPartition(await readLetters(engines), { topic, epoch });
  const ranges = new Map<number, { from: bigint; to: bigint }>();
  const partitions = new Map<number, PartitionRebuild>();
  for (const [partition, { low, committed }] of logRanges.partitions) {
    const key = { topic, epoch, partition };
    const from = coverage.starts.get(partition) ?? low;
    ranges.set(partition, { from, to: committed });
    const rebuild = new PartitionRebuild({
      ...{ key, from, committed, duplicateWindowMs: config.worker.duplicateWindowMs },
      readRanges: (offset, limit) => readRangesFrom(clickhouse, key, { from: offset, limit }),
      letters: letters.get(partition) ?? new Map<bigint, Letter>(),
      emit: (block, isStored) => rebuilt.add(block, isStored),
    });
    partitions.set(partition, rebuild);
  }
  const total = [...ranges.values()].reduce((sum, { from, to }) => sum + Number(to - from), 0);
  let messages = 0;
  const groupId = `${config.kafka.groupPrefix}-replay-${randomUUID()}`;
  await readLog(kafka, { topic, groupId, ranges }, async (partition, fetched) => {
    await partitions.get(partition)?.add(fetched);
    messages += fetched.length;
    options.onProgress(`${messages} of ${total} messages read, ${rebuilt.blocks} blocks`);
  });
  for await (const block of readHistoryBlocks(engines.db)) await rebuilt.add(block, true);
  await rebuilt.flush();
  return { messages, rebuilt };
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

type Comparing = { readonly rebuilt: RebuiltBlocks; readonly options: RebuildOptions };

async function readChanges(
  { clickhouse, config }: Engines,
  scratch: Scratch,
  { rebuilt, options }: Comparing,
): Promise<DayChange[]> {
  const { from, to } = options;
  const outside = [...rebuilt.restoredDays.keys()].filter((day) => day < from || day >= to);
  if (outside.length > 0) {
    throw new LostBlocks({ from: Math.min(...outside, from), to: Math.max(...outside, to - 1) + 1 });
  }
  const { counts } = config.kafka.topics;
  const live = await readStoredAccounting(clickhouse, counts);
  const fresh = await readStoredAccounting(scratch.db, counts);
  return compareDays(options, { live: live.days, rebuilt: fresh.days, restored: rebuilt.restoredDays });
}

type Placing = { readonly logRanges: LogRanges; readonly options: RebuildOptions };

async function putInPlace(
  engines: Engines,
  { database }: Scratch,
  { logRanges, options }: Placing,
): Promise<void> {
  const { clickhouse, config } = engines;
  const { from, to, lock, onProgress } = options;
  const { counts } = config.kafka.topics;
  await failIfCounted(engines, logRanges);
  lock.check();
  await restoreBlocks(clickhouse, database, counts);
  const { monthly, seen } = await readCountTables(clickhouse);
  const days = { source: database, target: config.clickhouse.database, from: isoDay(from), to: isoDay(to) };
  for (const month of monthsOf(from, to)) {
    for (const table of monthly) {
      lock.check();
      onProgress(`replacing ${table.name}, ${month}`);
      await replaceDays(clickhouse, table, { ...days, month });
    }
  }
  for (const table of seen) await mergeSeen(clickhouse, database, table);
  await failIfCounted(engines, logRanges);
  if (options.allowIncomplete) return;
  const wrong = (await readStoredAccounting(clickhouse, counts)).days.find(
    ({ day, expected, stored }) => day >= days.from && day < days.to && !isSame(expected, stored),
  );
  if (wrong === undefined) return;
  throw new FlagmeterError(
    'accounting-differs',
    `${wrong.day} ${wrong.table} does not agree with the blocks: run it again`,
  );
}

/** If a worker came back in the meantime, the replaced days would lose its latest blocks. */
async function failIfCounted(engines: Engines, logRanges: LogRanges): Promise<void> {
  const now = await readLogRanges(engines);
  for (const [partition, { committed }] of logRanges.partitions) {
    if (now.partitions.get(partition)?.committed === committed) continue;
    throw new FlagmeterError(
      'worker-running',
      'a worker counted in the meantime: stop it and run this again',
    );
  }
}
