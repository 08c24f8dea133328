import { type ClickHouse, isoOf, readUsage } from '#core/clickhouse';
import { isUrlName } from '#base/schema';
import { MAX_REGISTERED_FEATURES } from '#core/counting';
import type { Postgres } from '#base/postgres';
import type { UnknownFlag, UnknownFlags } from './schema.ts';

/** The maximum number of names described, of names listed, and of names read to find them. */
const MAX_DESCRIBED = 100;
const MAX_NAMES = 5000;
const MAX_SEEN_NAMES = 20_000;
const MAX_ROWS = 1000;

/** `at`: seconds since the epoch. */
export type UnknownRow = {
  readonly feature_name: string;
  readonly app_name: string;
  readonly environment: string;
  readonly at: number;
  readonly count: string;
};

export type UnknownFlagsStore = ReturnType<typeof createUnknownFlags>;

/** Features that were evaluated in the last 30 days and do not exist here. Archived features exist. */
export function createUnknownFlags(db: Postgres, clickhouse: ClickHouse) {
  return {
    async list(): Promise<UnknownFlags> {
      const all = await unknownNames(db, await seenNames(clickhouse), MAX_SEEN_NAMES);
      if (all.length === 0) return { total: 0, unknownFlags: [] };
      const names = all.slice(0, MAX_DESCRIBED);
      const rows = await readUsage<UnknownRow>(clickhouse, DETAILS, { names });
      return { total: all.length, unknownFlags: await describe(db, clickhouse, rows) };
    },

    /** At most 5,000 names, latest first. */
    names: async (): Promise<string[]> => unknownNames(db, await seenNames(clickhouse), MAX_NAMES),
  };
}

/** The unknown flags of rows, with a known name that is similar and the reason why nothing registered the name. */
export async function describe(
  db: Postgres,
  clickhouse: ClickHouse,
  rows: readonly UnknownRow[],
): Promise<UnknownFlag[]> {
  if (rows.length === 0) return [];
  const names = [...new Set(rows.map(({ feature_name }) => feature_name))];
  const [nearest, reasons] = await Promise.all([
    nearestNames(clickhouse, names),
    reasonsOf(db, clickhouse, names),
  ]);
  return rows.map(({ feature_name, app_name, environment, at, count }) => ({
    name: feature_name,
    appName: app_name,
    environment,
    lastSeenAt: isoOf(at),
    count: Number(count),
    nearestName: nearest.get(feature_name) ?? null,
    reason: reasons.get(feature_name) ?? null,
  }));
}

/** Reads the tables directly, because the views aggregate by day first, which takes twice as long. */
const DETAILS = `
  select feature_name, app_name, environment, toUnixTimestamp(last_hour) as at, count
  from (
    select feature_name, app_name, environment, max(s.last_hour) as last_hour
    from feature_app_seen_states as s
    where feature_name in {names:Array(String)}
    group by feature_name, app_name, environment
  ) as seen
  join (
    select feature_name, app_name, environment, sum(u.yes + u.no + u.unknown) as count
    from usage_daily as u
    where feature_name in {names:Array(String)}
      and day >= toDate(now('UTC')) - 30
    group by feature_name, app_name, environment
  ) as counted using (feature_name, app_name, environment)
  order by at desc, feature_name, app_name, environment
  limit ${MAX_ROWS}`;

/** Latest first. */
async function seenNames(clickhouse: ClickHouse): Promise<string[]> {
  const rows = await readUsage<{ feature_name: string }>(
    clickhouse,
    `select feature_name, max(last_hour) as seen
     from feature_seen
     group by feature_name
     having seen > now('UTC') - interval 30 day
     order by seen desc, feature_name
     limit ${MAX_SEEN_NAMES}`,
    {},
  );
  return rows.map(({ feature_name }) => feature_name);
}

async function unknownNames(db: Postgres, seen: readonly string[], max: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select seen.name
     from unnest($1::text[]) with ordinality as seen (name, place)
     where not exists (select from features as f where f.name = seen.name)
     order by seen.place
     limit $2`,
    [seen, max],
  );
  return rows.map(({ name }) => name);
}

/**
 * The most similar known name of each unknown name. The verdicts have those of names that were evaluated in a complete hour, so
 * only the others are compared.
 */
async function nearestNames(clickhouse: ClickHouse, names: readonly string[]): Promise<Map<string, string>> {
  const judged = await readUsage<NearestRow>(
    clickhouse,
    `select distinct feature_name as name, subject as nearest
     from feature_verdicts
     where verdict = 'unknown'
       and feature_name in {names:Array(String)}`,
    { names },
  );
  const known = new Set(judged.map(({ name }) => name));
  const compared = await compareNames(
    clickhouse,
    names.filter((name) => !known.has(name)),
  );
  const rows = [...judged.filter(({ nearest }) => nearest !== ''), ...compared];
  return new Map(rows.map(({ name, nearest }) => [name, nearest]));
}

type NearestRow = { name: string; nearest: string };

/** ClickHouse compares: comparing 100 names with 2,000 here would block the event loop for 400 ms. */
async function compareNames(clickhouse: ClickHouse, names: readonly string[]): Promise<NearestRow[]> {
  if (names.length === 0) return [];
  return readUsage<NearestRow>(
    clickhouse,
    `select name, argMin(feature_name, (distance, archived, feature_name)) as nearest
     from (
       select
         name,
         feature_name,
         archived,
         damerauLevenshteinDistance(unknown.in_lower_case, known.in_lower_case) as distance
       from (select arrayJoin({names:Array(String)}) as name, lower(name) as in_lower_case) as unknown
       cross join (select feature_name, archived, lower(toString(feature_name)) as in_lower_case from features) as known
       where abs(length(name) - length(feature_name)) <= 2
         and distance <= 2
     )
     group by name`,
    { names },
  );
}

type Reason = Exclude<UnknownFlag['reason'], null>;

/** Why evaluations did not register unknown names (docs/use/senders/openfeature.md#features-of-other-systems). Names without a reason are left out. */
async function reasonsOf(
  db: Postgres,
  clickhouse: ClickHouse,
  names: readonly string[],
): Promise<ReadonlyMap<string, Reason>> {
  const full = await withoutRoom(db, clickhouse, names.filter(isUrlName));
  const reasons = new Map<string, Reason>();
  for (const name of names) {
    if (!isUrlName(name)) reasons.set(name, 'invalid_name');
    else if (full.has(name)) reasons.set(name, 'no_room');
  }
  return reasons;
}

type Sender = { feature_name: string; token_id: string };

/** Those that only tokens send whose share is full, or for which all places are taken. */
async function withoutRoom(
  db: Postgres,
  clickhouse: ClickHouse,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const { each, all } = MAX_REGISTERED_FEATURES;
  const [senders, registered] = await Promise.all([
    readUsage<Sender>(clickhouse, SENDERS, { names }),
    db.query<{ token: string | null; count: number }>(REGISTERED),
  ]);
  const sizes = new Map(registered.rows.map(({ token, count }) => [token, count]));
  const isFull = [...sizes.values()].reduce((sum, size) => sum + size, 0) >= all;
  const hasRoom = ({ token_id }: Sender): boolean => !isFull && (sizes.get(token_id) ?? 0) < each;
  const withRoom = new Set(senders.filter(hasRoom).map(({ feature_name }) => feature_name));
  return new Set(senders.map(({ feature_name }) => feature_name).filter((name) => !withRoom.has(name)));
}

const SENDERS = `
  select distinct feature_name, token_id
  from feature_senders
  where day >= toDate(now('UTC')) - 1
    and feature_name in {names:Array(String)}`;

const REGISTERED = `
  select registered_by as token, count(*)::integer as count
  from features
  where source = 'opentelemetry'
    and archived_at is null
  group by registered_by`;
