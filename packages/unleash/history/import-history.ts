import { type Shards, createBlocks } from '#core/clickhouse';
import { dayOf, startOfDayMs } from '#base/schema';
import type { RefusalReason } from '#core/counting';
import { type OperatorLock, type Postgres, inTransaction, isDuplicate } from '#base/postgres';
import { FlagmeterError, type Log, type PostgresAccess } from '#base/runtime';
import { lostImports, readCountedImports } from './counted-imports.ts';
import { type DayDifference, differencesOf } from './differences.ts';
import { type HistoryMessage, countedOf, encodePage } from './encode-page.ts';
import { findFirstHourOf } from './first-hour.ts';
import { storeImport } from './history-blocks.ts';
import { type HistoryImport, createHistoryImports, recordLost, stageImport } from './imports.ts';
import { type HistoryPlan, planOf } from './plan.ts';
import { readSourceSums } from './source/source-days.ts';
import { countNames, readSourceRows } from './source/source-rows.ts';
import { type HistoryRange, SOURCES } from './source/source-tables.ts';
import { type UnleashSnapshot, withUnleashSnapshot } from './source/source.ts';

export type HistoryOptions = {
  readonly db: Postgres;
  readonly shards: Pick<Shards, 'all' | 'of'>;
  readonly log: Log;
  /** Unleash's database. */
  readonly access: PostgresAccess;
  /** Rows from this time on are left out (epoch milliseconds); by default those from the first hour that flagmeter counted. */
  readonly before: number | undefined;
  /** Flagmeter keeps days for so many months. */
  readonly keptMonths: number;
  readonly maxVariants: number;
  readonly onProgress: (text: string) => void;
};

/** What an import adds, or would add. */
export type HistoryReport = {
  readonly range: HistoryRange;
  /** The first hour that flagmeter counted itself; undefined if there is none. */
  readonly firstHour: number | undefined;
  readonly plan: HistoryPlan;
  readonly names: { readonly features: number; readonly applications: number; readonly environments: number };
  /** Rows of Unleash, and how many of them are counted or refused. */
  readonly received: number;
  readonly counted: number;
  readonly refused: ReadonlyMap<RefusalReason, number>;
  readonly earlier: readonly HistoryImport[];
  readonly differences: readonly DayDifference[];
};

/** Shows what an import would add. */
export function foretellHistory(options: HistoryOptions): Promise<HistoryReport> {
  return withUnleashSnapshot(options, async (snapshot) => {
    const prepared = await prepare(snapshot, options);
    const tally = createTally(options.onProgress);
    for await (const message of readMessages(snapshot, prepared, options)) tally.add(message);
    return { ...prepared, ...tally.result() };
  });
}

/**
 * Imports the history that is not imported yet. The order of effects:
 *
 *   1. complete  imports that only ClickHouse knows are recorded, and an interrupted import is counted to its end
 *   2. copy      the rows of one snapshot of Unleash appear in our Postgres at once
 *   3. count     the copied messages are counted in blocks (`storeImport`)
 *
 * If it is interrupted before the end of step 2, nothing has changed. Later, the next run continues with the copy, whatever has
 * happened to the rows of Unleash.
 */
export async function importHistory(options: HistoryOptions, lock: OperatorLock): Promise<HistoryReport> {
  await countCopied(options, lock);
  const report = await withUnleashSnapshot(options, async (snapshot) => {
    const prepared = await prepare(snapshot, options);
    if (prepared.plan.days.length === 0) return { ...prepared, ...createTally(options.onProgress).result() };
    lock.check();
    return { ...prepared, ...(await copy(snapshot, prepared, options)) };
  });
  await countCopied(options, lock);
  return report;
}

async function countCopied({ db, shards, onProgress }: HistoryOptions, lock: OperatorLock): Promise<void> {
  const imports = createHistoryImports(db);
  const known = await imports.list();
  const counted = await readCountedImports(shards.all);
  for (const lost of lostImports(known, counted)) await recordLost(db, lost);
  for (const one of known) {
    const blocks = createBlocks(shards.of(one.number));
    const countedTo = counted.find(({ number }) => number === one.number)?.to ?? 0n;
    await storeImport(one, { imports, blocks, countedTo, lock, onProgress });
  }
}

/** All imports that Postgres or ClickHouse knows, in their order. */
async function readEarlier({ db, shards }: HistoryOptions): Promise<HistoryImport[]> {
  const known = await createHistoryImports(db).list();
  const lost = lostImports(known, await readCountedImports(shards.all));
  return [...known, ...lost].sort((one, other) => one.number - other.number);
}

type Prepared = Omit<HistoryReport, keyof ReturnType<ReturnType<typeof createTally>['result']>> & {
  readonly number: number;
  readonly startedAt: number;
};

async function prepare(snapshot: UnleashSnapshot, options: HistoryOptions): Promise<Prepared> {
  const now = await readNow(snapshot);
  const earlier = await readEarlier(options);
  const last = earlier.at(-1);
  const oldest = oldestOf(now, options.keptMonths);
  const from = Math.max(oldest, last?.before ?? oldest);
  const firstHour = await findFirstHourOf(options.shards.all, last?.before ?? 0);
  const before = options.before ?? firstHour ?? now - (now % HOUR_MS);
  if (before > now) throw new FlagmeterError('usage', '--before must not be in the future');
  const range = { oldest, from, before: Math.max(from, before) };
  const plan = planOf(await readSourceSums(snapshot, range));
  const names = await countNames(snapshot, range, plan.days);
  const differences = await readDifferences(snapshot, earlier, oldest);
  const number = (last?.number ?? 0) + 1;
  return { range, firstHour, plan, names, earlier, differences, number, startedAt: now };
}

/** The earlier of two clocks: the next import begins where this one ends, so it must not end in the future. */
async function readNow(snapshot: UnleashSnapshot): Promise<number> {
  const { rows } = await snapshot.query<{ now: Date }>('select now() as now', []);
  return Math.min(Date.now(), rows[0]?.now.getTime() ?? Infinity);
}

const HOUR_MS = 3_600_000;

/** The first day that flagmeter keeps. */
function oldestOf(now: number, keptMonths: number): number {
  const today = new Date(startOfDayMs(dayOf(now)));
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - keptMonths, today.getUTCDate() + 1);
}

async function readDifferences(
  snapshot: UnleashSnapshot,
  earlier: readonly HistoryImport[],
  oldest: number,
): Promise<DayDifference[]> {
  const [first, last] = [earlier.at(0), earlier.at(-1)];
  if (first === undefined || last === undefined) return [];
  const range = { oldest, from: Math.max(oldest, first.from), before: last.before };
  const { days } = planOf(await readSourceSums(snapshot, range));
  return differencesOf(
    earlier.flatMap((one) => one.days),
    days,
  );
}

async function copy(
  snapshot: UnleashSnapshot,
  prepared: Prepared,
  options: HistoryOptions,
): Promise<ReturnType<ReturnType<typeof createTally>['result']>> {
  const { number, startedAt, plan, range } = prepared;
  const tally = createTally(options.onProgress);
  async function* values(): AsyncGenerator<Uint8Array> {
    for await (const message of readMessages(snapshot, prepared, options)) {
      tally.add(message);
      yield message.value;
    }
  }
  try {
    await inTransaction(options.db, (client) =>
      stageImport(client, { number, startedAt, days: plan.days, range }, values()),
    );
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new FlagmeterError('history-imported', 'another import-unleash was faster: run it again', {
      cause: error,
    });
  }
  return tally.result();
}

/** A message for each page of the planned rows. */
async function* readMessages(
  snapshot: UnleashSnapshot,
  { range, plan, number, startedAt }: Prepared,
  { maxVariants }: HistoryOptions,
): AsyncGenerator<HistoryMessage> {
  let offset = 0;
  for (const { source } of SOURCES) {
    const days = plan.days.filter((day) => day.source === source);
    if (days.length === 0) continue;
    for await (const rows of await readSourceRows(snapshot, source, { range, days, maxVariants })) {
      if (rows.length === 0) continue;
      const batchId = `unleash-history-${number}-${offset}`;
      yield encodePage(rows, { batchId, receivedAt: startedAt, maxVariants });
      offset += 1;
    }
  }
}

function createTally(onProgress: HistoryOptions['onProgress']) {
  let received = 0;
  let counted = 0;
  const refused = new Map<RefusalReason, number>();
  return {
    add(message: HistoryMessage): void {
      received += message.received;
      counted += countedOf(message);
      for (const { reason, metrics } of message.refusals)
        refused.set(reason, (refused.get(reason) ?? 0) + metrics);
      onProgress(`${received} rows of Unleash read`);
    },
    result: () => ({ received, counted, refused }),
  };
}
