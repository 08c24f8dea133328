import {
  type ClickHouse,
  type ShardedAccess,
  copyRetention,
  createBlocks,
  dropDatabase,
  openClickHouse,
  shardsOf,
} from '#core/clickhouse';
import type { Block } from '#core/counting';
import type { Config, Log } from '#base/runtime';
import { setUpScratch } from '../setup/tables.ts';
import type { AddedSums } from './day-changes.ts';
import type { Engines } from './engines.ts';

/** A second ClickHouse database of a shard, with the same tables. Days are rebuilt there before they replace the old ones. */
export type Scratch = {
  /** From 1; undefined if there is only one. */
  readonly shard: number | undefined;
  readonly database: string;
  readonly db: ClickHouse;
  readonly rebuilt: RebuiltBlocks;
  /** The database that counts, on the same server. */
  readonly live: { readonly database: string; readonly db: ClickHouse };
};

/**
 * Runs `work` with an empty scratch database in each shard, in their order, and drops them afterwards. Those that a killed run
 * left behind are dropped first.
 */
export async function withScratch<T>(
  engines: Engines,
  work: (scratches: readonly Scratch[]) => Promise<T>,
): Promise<T> {
  const { config, shards, log } = engines;
  const accesses = shardsOf(config.clickhouse);
  const scratches: Scratch[] = [];
  try {
    for (const [index, access] of accesses.entries()) {
      const live = shards.all[index] ?? shards.all[0];
      const shard = accesses.length === 1 ? undefined : index + 1;
      scratches.push({ shard, ...(await openScratch(access, live, log)) });
    }
    return await work(scratches);
  } finally {
    for (const { database, db, live } of scratches) {
      await db.close();
      await dropDatabase(live.db, database);
    }
  }
}

async function openScratch(
  access: ShardedAccess<Config['clickhouse']>,
  live: ClickHouse,
  log: Log,
): Promise<Omit<Scratch, 'shard'>> {
  const database = `${access.database}_replay`;
  await dropDatabase(live, database);
  // Not replicated: only this server needs the scratch database.
  await setUpScratch({ ...access, database, enginePrefix: '' }, log);
  const db = openClickHouse({ ...access, database });
  // Without this, a table that keeps its rows longer would lose days on their way through the scratch database.
  await copyRetention(live, db);
  return { database, db, rebuilt: new RebuiltBlocks(db), live: { database: access.database, db: live } };
}

const ROWS_PER_INSERT = 20_000;
const BLOCKS_PER_INSERT = 500;

/** Stores rebuilt blocks, many in one INSERT, and sums up those that ClickHouse had lost. */
export class RebuiltBlocks {
  readonly #db: ClickHouse;
  #waiting: Block[] = [];
  #rows = 0;
  restored = 0;
  /** The sums of the lost blocks by day (days since the epoch). */
  readonly restoredDays = new Map<number, AddedSums>();

  constructor(db: ClickHouse) {
    this.#db = db;
  }

  async add(block: Block, isStored: boolean): Promise<void> {
    this.#waiting.push(block);
    this.#rows +=
      block.sums.rowCount + block.impact.series.length + block.reasons.sums.count + block.refusals.length;
    if (!isStored) this.#addRestored(block);
    if (this.#rows >= ROWS_PER_INSERT || this.#waiting.length >= BLOCKS_PER_INSERT) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await createBlocks(this.#db).insertAll(this.#waiting);
    this.#waiting = [];
    this.#rows = 0;
  }

  #addRestored({ days, minuteDays, impact, reasons }: Block): void {
    this.restored += 1;
    const evaluations = new Map(Array.from(reasons.days, ([day, sum]) => [day, { evaluations: sum }]));
    const added = {
      usage: days,
      variants: days,
      minutes: minuteDays,
      impact: impact.days,
      reasons: evaluations,
    };
    for (const [kind, sums] of Object.entries(added))
      for (const [day, ofDay] of sums) {
        const known = this.restoredDays.get(day);
        this.restoredDays.set(day, { ...known, [kind]: plus(known?.[kind], ofDay) });
      }
  }
}

type Sums = AddedSums[string];

/** Adds two groups of sums with the same members. */
function plus(a: Sums | undefined, b: Sums): Sums {
  if (a === undefined) return b;
  return Object.fromEntries(Object.entries(b).map(([name, sum]) => [name, sum + (a[name] ?? 0n)]));
}
