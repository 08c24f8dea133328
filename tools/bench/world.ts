import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, openClickHouse, readRows } from '#core/clickhouse';
import type { LoadResult } from '#tooling/traffic';
import { setUp } from '#tooling/operations';
import { type Config, createLog, readConfig } from '#base/runtime';
import { RunError, localSettings } from '#tooling/stack';
import type { StackAddresses } from '../stack/index.ts';

/** The acknowledged rows of all loads, which must be stored. */
export type Sums = LoadResult['acknowledged'];

/** A flagmeter with its own topics and database, and the ledger of everything that it acknowledged. */
export type BenchWorld = {
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly clickhouse: ClickHouse;
  readonly token: string;
  readonly adminToken: string;
  /** Records the acknowledged rows of a load, and the rows that may be stored in addition. */
  enter(result: Pick<LoadResult, 'acknowledged' | 'inDoubt'>): void;
  acknowledgedRows(): number;
  /** Rows in stored blocks: cheap to query, and slightly ahead of the views. */
  readStoredRows(): Promise<number>;
  /**
   * Resolves when the views show exactly the acknowledged rows. Throws a RunError if they show more or different
   * rows.
   */
  untilReadable(): Promise<void>;
  close(): Promise<void>;
};

const TOKEN = `*:production.${randomBytes(20).toString('hex')}`;
const ADMIN_TOKEN = `*:*.${randomBytes(20).toString('hex')}`;
const READABLE_DEADLINE_MS = 120_000;
const LOOK_MS = 50;
const NOTHING: Sums = { rows: 0, yes: 0, no: 0, variants: 0 };

export async function createBenchWorld(addresses: StackAddresses, name: string): Promise<BenchWorld> {
  const env = {
    ...addresses,
    KAFKA_TOPIC_PREFIX: name,
    CLICKHOUSE_DATABASE: name,
    // As `make start` and `flagmeter try` do.
    ...localSettings({}),
    // Loads with many keys name half a million of them, plus variants, in several hours.
    MAX_ROWS_PER_HOUR: '10000000',
    // Requests are counted, as by default, but one token sends all of them and must not reach the limit.
    RATE_LIMIT_PER_MINUTE: '2147483647',
    PORT: '0',
    INIT_CLIENT_API_TOKENS: TOKEN,
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
  };
  const config = readConfig(env);
  await setUp(config, createLog('bench', 'error'));
  const clickhouse = openClickHouse(config.clickhouse);
  let [acknowledged, inDoubt] = [NOTHING, NOTHING];
  const readStoredRows = async (): Promise<number> => {
    const [row] = await readRows<{ rows: string }>(clickhouse, 'select sum(counted) as rows from blocks');
    return Number(row?.rows ?? 0);
  };
  return {
    env,
    config,
    clickhouse,
    token: TOKEN,
    adminToken: ADMIN_TOKEN,
    enter(result) {
      acknowledged = plus(acknowledged, result.acknowledged);
      inDoubt = plus(inDoubt, result.inDoubt);
    },
    acknowledgedRows: () => acknowledged.rows,
    readStoredRows,
    async untilReadable() {
      const deadline = Date.now() + READABLE_DEADLINE_MS;
      while ((await readStoredRows()) < acknowledged.rows) await lookAgain(deadline, 'in blocks');
      for (;;) {
        const seen = await readSums(clickhouse);
        if (isBetween(seen, acknowledged, plus(acknowledged, inDoubt))) return;
        if (seen.rows > acknowledged.rows + inDoubt.rows || Date.now() > deadline) {
          throw new RunError(
            `stored and acknowledged rows differ: ${shown(seen)} against ${shown(acknowledged)}`,
          );
        }
        await lookAgain(deadline, 'in the views');
      }
    },
    close: () => clickhouse.close(),
  };
}

async function lookAgain(deadline: number, place: string): Promise<void> {
  if (Date.now() > deadline) throw new RunError(`not all acknowledged rows are ${place} in time`);
  await sleep(LOOK_MS);
}

async function readSums(clickhouse: ClickHouse): Promise<Sums> {
  const [row] = await readRows<Record<keyof Sums, string>>(
    clickhouse,
    `select
       sum(u.reports) as rows,
       sum(u.yes) as yes,
       sum(u.no) as no,
       (select sum(v.count) from variants_by_hour as v) as variants
     from usage_by_hour as u`,
  );
  return {
    rows: Number(row?.rows ?? 0),
    yes: Number(row?.yes ?? 0),
    no: Number(row?.no ?? 0),
    variants: Number(row?.variants ?? 0),
  };
}

const KEYS = ['rows', 'yes', 'no', 'variants'] as const;

function isBetween(sums: Sums, min: Sums, max: Sums): boolean {
  return KEYS.every((key) => sums[key] >= min[key] && sums[key] <= max[key]);
}

function plus(a: Sums, b: Sums): Sums {
  return { rows: a.rows + b.rows, yes: a.yes + b.yes, no: a.no + b.no, variants: a.variants + b.variants };
}

function shown(sums: Sums): string {
  return KEYS.map((key) => `${sums[key]} ${key}`).join(', ');
}
