import { type Postgres, openPostgres } from '#base/postgres';
import { createLog } from '#base/runtime';
import { untilEndOfFile } from '../../left-behind.ts';
import { createUnleashDatabase } from './unleash.ts';

/** A row of Unleash's history; `at` is the start of its hour, or a day as ISO date. Counts may be invalid. */
export type UnleashRow = {
  readonly at: string;
  readonly feature?: string;
  readonly app?: string;
  readonly environment?: string;
  readonly yes?: string | number | null;
  readonly no?: string | number | null;
  readonly variants?: Readonly<Record<string, string | number>>;
};

/** A database with the tables in which Unleash 8.2.0 keeps its history. */
export type UnleashHistory = {
  readonly url: string;
  readonly db: Postgres;
  addHours(...rows: readonly UnleashRow[]): Promise<void>;
  addDays(...rows: readonly UnleashRow[]): Promise<void>;
  /** Adds as many rows of one hour, each with one evaluation. */
  addMany(count: number, at: string): Promise<void>;
  dispose(): Promise<void>;
};

/** The tables as the migrations of Unleash leave them. */
const TABLES = `
  create table client_metrics_env (
    feature_name varchar(255),
    app_name varchar(255),
    environment varchar(100),
    timestamp timestamp with time zone,
    yes bigint default 0,
    no bigint default 0,
    primary key (feature_name, app_name, environment, timestamp)
  );
  create table client_metrics_env_variants (
    feature_name varchar(255),
    app_name varchar(255),
    environment varchar(100),
    timestamp timestamp with time zone,
    variant text,
    count integer default 0,
    foreign key (feature_name, app_name, environment, timestamp) references client_metrics_env on delete cascade,
    primary key (feature_name, app_name, environment, timestamp, variant)
  );
  create table client_metrics_env_daily (
    feature_name varchar(255),
    app_name varchar(255),
    environment varchar(100),
    date date,
    yes bigint default 0,
    no bigint default 0,
    primary key (feature_name, app_name, environment, date)
  );
  create table client_metrics_env_variants_daily (
    feature_name varchar(255),
    app_name varchar(255),
    environment varchar(100),
    date date,
    variant text,
    count bigint default 0,
    foreign key (feature_name, app_name, environment, date) references client_metrics_env_daily on delete cascade,
    primary key (feature_name, app_name, environment, date, variant)
  );`;

export async function createUnleashHistory(): Promise<UnleashHistory> {
  const database = await createUnleashDatabase();
  const log = createLog('test', 'fatal');
  const db = openPostgres({ url: database.url, tls: undefined, maxConnections: 2, log });
  await db.query(TABLES);
  return untilEndOfFile({
    url: database.url,
    db,
    addHours: (...rows: readonly UnleashRow[]) => add(db, 'client_metrics_env', rows),
    addDays: (...rows: readonly UnleashRow[]) => add(db, 'client_metrics_env_daily', rows),
    async addMany(count: number, at: string) {
      await db.query(
        `insert into client_metrics_env
         select 'feature-' || i % 100, 'app-' || i, 'production', $2::timestamptz, 1, 0
         from generate_series(1, $1::integer) as i`,
        [count, at],
      );
    },
    async dispose() {
      await db.end();
      await database.drop();
    },
  });
}

type Table = 'client_metrics_env' | 'client_metrics_env_daily';

async function add(db: Postgres, table: Table, rows: readonly UnleashRow[]): Promise<void> {
  const ofVariants =
    table === 'client_metrics_env' ? `${table}_variants` : 'client_metrics_env_variants_daily';
  for (const row of rows) {
    const { at, feature = 'checkout', app = 'shop', environment = 'production', variants = {} } = row;
    const key = [feature, app, environment, at];
    const { yes = 0, no = 0 } = row;
    await db.query(`insert into ${table} values ($1, $2, $3, $4, $5, $6)`, [...key, yes, no]);
    for (const [variant, count] of Object.entries(variants))
      await db.query(`insert into ${ofVariants} values ($1, $2, $3, $4, $5, $6)`, [...key, variant, count]);
  }
}
