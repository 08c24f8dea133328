import { type ClickHouse, copyRetention, createBlocks, dropDatabase, openClickHouse } from '#clickhouse';
import type { Block, DaySums } from '#counting';
import { setUpTables } from '#setup';
import type { Engines } from './engines.ts';

/** A ClickHouse database with the same tables and views. Days are rebuilt there before they replace the old ones. */
export type Scratch = {
  readonly database: string;
  readonly db: ClickHouse;
};

/**
 * Runs `work` with an empty scratch database and drops the database afterwards. A database that a killed run left behind is
 * dropped first.
 */
export async function withScratch<T>(
  { config, clickhouse, log }: Engines,
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const database = `${config.clickhouse.database}_replay`;
  await dropDatabase(clickhouse, database);
  // Not replicated: only this server needs the scratch database.
  await setUpTables({ clickhouse: { ...config.clickhouse, database, enginePrefix: '' } }, log);
  const db = openClickHouse({ ...config.clickhouse, database });
  try {
    // Without this, a table that keeps its rows longer would lose days on their way through the scratch database.
    await copyRetention(clickhouse, db);
    return await work({ database, db });
  } finally {
    await db.close();
    await dropDatabase(clickhouse, database);
  }
}

const ROWS_PER_INSERT = 20_000;
const BLOCKS_PER_INSERT = 500;

/** Stores rebuilt blocks, many in one INSERT, and sums up those that ClickHouse had lost. */
export class RebuiltBlocks {
  readonly #db: ClickHouse;
  #waiting: Block[] = [];
  #rows = 0;
  blocks = 0;
  restored = 0;
  /** The sums of the lost blocks by day (days since the epoch). */
  readonly restoredDays = new Map<number, DaySums>();

  constructor({ db }: Scratch) {
    this.#db = db;
  }

  async add(block: Block, isStored: boolean): Promise<void> {
    this.#waiting.push(block);
    this.#rows += block.sums.rowCount + block.refusals.length;
    this.blocks += 1;
    if (!isStored) this.#addRestored(block);
    if (this.#rows >= ROWS_PER_INSERT || this.#waiting.length >= BLOCKS_PER_INSERT) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await createBlocks(this.#db).insertAll(this.#waiting);
    this.#waiting = [];
    this.#rows = 0;
  }

  #addRestored({ days }: Block): void {
    this.restored += 1;
    for (const [day, { yes, no, variants }] of days) {
      const sum = this.restoredDays.get(day) ?? { yes: 0n, no: 0n, variants: 0n };
      this.restoredDays.set(day, sum);
      sum.yes += yes;
      sum.no += no;
      sum.variants += variants;
    }
  }
}
