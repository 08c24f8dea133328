import { readStoredAccounting, subjectOfDay } from '#core/accounting';
import {
  mergeSeen,
  readCountTables,
  readMinutes,
  readPartitions,
  replaceDays,
  restoreBlocks,
} from '#core/clickhouse';
import { isoDay, startOfDayMs } from '#base/schema';
import { COMPARED_DAYS, FlagmeterError } from '#base/runtime';
import type { OperatorLock } from '#base/postgres';
import { type DayChange, type DayRange, compareDays, isSame } from './day-changes.ts';
import { type Engines, failIfOnCluster } from './engines.ts';
import { type LogRanges, readCoverage, readLogRanges } from './log-ranges.ts';
import { readIntoScratch } from './read-into-scratch.ts';
import { type Scratch, withScratch } from './scratch.ts';

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
 *   1. build    read the log up to the committed offsets, and the imported history, into scratch databases
 *   2. prove    the rebuilt sums equal those of the blocks, in each shard
 *   3. blocks   add the blocks that ClickHouse had lost
 *   4. replace  the days of each table, partition by partition, each in one step
 *   5. prove    the accounting agrees on these days, and nothing was counted in the meantime
 *
 * Steps 3 and 4 are for one shard after the other.
 *
 * If it is interrupted before step 3, nothing has changed. Later, the accounting differs on these days until the rebuild runs
 * again.
 */
export async function rebuildDays(engines: Engines, options: RebuildOptions): Promise<Rebuild> {
  failIfOnCluster(engines.config);
  if (startOfDayMs(options.from + COMPARED_DAYS) < Date.now()) {
    const message = `only the last ${COMPARED_DAYS - 1} days can be rebuilt: the hourly tables have no older rows`;
    throw new FlagmeterError('too-old', message);
  }
  const logRanges = await readLogRanges(engines);
  const coverage = await readCoverage(engines, logRanges, startOfDayMs(options.from));
  failUnless(options.allowIncomplete, coverage.obstacles);
  return withScratch(engines, async (scratches) => {
    const messages = await readIntoScratch(engines, scratches, {
      logRanges,
      coverage,
      onProgress: options.onProgress,
    });
    const changes = await readChanges(engines, scratches, options);
    const differing = changes.filter(({ after, blocks }) => !isSame(after, blocks));
    const disagreements = differing.map(
      (change) =>
        `${subjectOfDay(change)}: the log says ${change.after.join('/')}, the blocks say ${change.blocks.join('/')}`,
    );
    failUnless(options.allowIncomplete, disagreements);
    if (options.apply) await putInPlace(engines, scratches, { logRanges, options });
    return {
      changes,
      messages,
      restoredBlocks: scratches.reduce((sum, { rebuilt }) => sum + rebuilt.restored, 0),
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

async function readChanges(
  { config }: Engines,
  scratches: readonly Scratch[],
  days: DayRange,
): Promise<DayChange[]> {
  const { from, to } = days;
  const restored = await Promise.all(scratches.map(restoredDaysOf));
  const outside = restored.flat().filter((day) => day < from || day >= to);
  if (outside.length > 0) {
    throw new LostBlocks({ from: Math.min(...outside, from), to: Math.max(...outside, to - 1) + 1 });
  }
  const { counts } = config.kafka.topics;
  const changes: DayChange[] = [];
  for (const { shard, live, db, rebuilt } of scratches) {
    const old = await readStoredAccounting(live.db, counts);
    const fresh = await readStoredAccounting(db, counts);
    const sides = { live: old.days, rebuilt: fresh.days, restored: rebuilt.restoredDays };
    for (const change of compareDays(days, sides)) changes.push({ ...change, shard });
  }
  return changes;
}

/** The days to which restored blocks add. Minutes of days that are not compared any more add nothing. */
async function restoredDaysOf({ live, rebuilt }: Scratch): Promise<number[]> {
  const minutes = await readMinutes(live.db);
  return [...rebuilt.restoredDays].flatMap(([day, { minutes: ofMinutes, ...others }]) => {
    const hasMinutes =
      ofMinutes !== undefined && minutes !== undefined && isoDay(day) >= minutes.comparedFrom;
    return hasMinutes || Object.keys(others).length > 0 ? [day] : [];
  });
}

type Placing = { readonly logRanges: LogRanges; readonly options: RebuildOptions };

async function putInPlace(
  engines: Engines,
  scratches: readonly Scratch[],
  { logRanges, options }: Placing,
): Promise<void> {
  const { counts } = engines.config.kafka.topics;
  await failIfCounted(engines, logRanges);
  for (const scratch of scratches) await replaceIn(scratch, counts, options);
  await failIfCounted(engines, logRanges);
  if (options.allowIncomplete) return;
  const [from, to] = [isoDay(options.from), isoDay(options.to)];
  for (const { shard, live } of scratches) {
    const wrong = (await readStoredAccounting(live.db, counts)).days.find(
      ({ day, isWrong }) => day >= from && day < to && isWrong,
    );
    if (wrong === undefined) continue;
    const subject = subjectOfDay({ ...wrong, shard });
    throw new FlagmeterError('accounting-differs', `${subject} does not agree with the blocks: run it again`);
  }
}

/** Replaces the days of one shard. */
async function replaceIn(
  { database, live }: Scratch,
  counts: string,
  { from, to, lock, onProgress }: RebuildOptions,
): Promise<void> {
  lock.check();
  await restoreBlocks(live.db, database, counts);
  const { partitioned, seen } = await readCountTables(live.db);
  const days = { source: database, target: live.database, from: isoDay(from), to: isoDay(to) };
  for (const table of partitioned) {
    for (const partition of await readPartitions(live.db, table, days)) {
      lock.check();
      onProgress(`replacing ${table.name}, ${partition}`);
      await replaceDays(live.db, table, { ...days, partition });
    }
  }
  for (const table of seen) await mergeSeen(live.db, database, table);
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
