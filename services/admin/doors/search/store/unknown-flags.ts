import type { ClickHouse } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import type { UnknownFlag } from '../../../advice/unknown-flags/schema.ts';
import { type UnknownRow, describe } from '../../../advice/unknown-flags/store.ts';
import type { UnknownFlagsQuery } from '../schemas.ts';
import type { Page } from './page.ts';
import { MAX_ORDERED_COUNT, type UsagePage, readUsagePage } from './usage-page.ts';

type Row = UnknownRow & { readonly capped_count: string };

const UNIQUE = [
  { column: 'feature_name', kind: 'text' },
  { column: 'app_name', kind: 'text' },
  { column: 'environment', kind: 'text' },
] as const;
const SORTS: UsagePage<Row>['sorts'] = {
  name: UNIQUE,
  lastSeenAt: [{ column: 'at', kind: 'number' }, ...UNIQUE],
  count: [{ column: 'capped_count', kind: 'number' }, ...UNIQUE],
};

/**
 * Reads a page of unknown flags from ClickHouse, which knows the features up to 30 seconds late. Postgres removes those that were
 * created since, so a page may have fewer items than its limit.
 */
export async function readUnknownFlags(
  db: Postgres,
  clickhouse: ClickHouse,
  query: UnknownFlagsQuery,
): Promise<Page<UnknownFlag>> {
  const page = await readUsagePage<Row>(clickhouse, {
    query,
    sorts: SORTS,
    select: selectWith(query),
    parameters: {
      ...query,
      search: query.search?.trim(),
      seenSince: secondsOf(query.seenSince),
      notSeenSince: secondsOf(query.notSeenSince),
    },
  });
  return { ...page, items: await itemsOf(db, clickhouse, page.items) };
}

/** Reads the tables directly, because the views aggregate by day first, which takes twice as long. No part comes from outside. */
function selectWith(query: UnknownFlagsQuery): string {
  const filter = filterOf(query);
  return `
    with unknown_names as (
      select distinct feature_name
      from feature_seen
      where last_hour > now('UTC') - interval 30 day
        and feature_name not in (select feature_name from features)
        ${query.search === undefined ? '' : 'and positionCaseInsensitiveUTF8(feature_name, {search:String}) > 0'}
    )
    select feature_name, app_name, environment, at, count, least(count, ${MAX_ORDERED_COUNT}) as capped_count
    from (
      select feature_name, app_name, environment, toUnixTimestamp(max(s.last_hour)) as at
      from feature_app_seen_states as s
      where feature_name in unknown_names
        ${filter}
      group by feature_name, app_name, environment
      having ${seenOf(query)}
    ) as seen
    join (
      select feature_name, app_name, environment, sum(u.yes + u.no + u.unknown) as count
      from usage_daily as u
      where feature_name in unknown_names
        and day >= toDate(now('UTC')) - 30
        ${filter}
      group by feature_name, app_name, environment
    ) as counted using (feature_name, app_name, environment)`;
}

function filterOf({ appName, environment }: UnknownFlagsQuery): string {
  return [
    ...(appName === undefined ? [] : ['and app_name = {appName:String}']),
    ...(environment === undefined ? [] : ['and environment = {environment:String}']),
  ].join('\n');
}

function seenOf({ seenSince, notSeenSince }: UnknownFlagsQuery): string {
  return [
    'true',
    ...(seenSince === undefined ? [] : ['at >= {seenSince:Float64}']),
    ...(notSeenSince === undefined ? [] : ['at < {notSeenSince:Float64}']),
  ].join(' and ');
}

function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) / 1000;
}

async function itemsOf(db: Postgres, clickhouse: ClickHouse, rows: readonly Row[]): Promise<UnknownFlag[]> {
  if (rows.length === 0) return []; // also while Postgres is away
  const names = [...new Set(rows.map(({ feature_name }) => feature_name))];
  const known = await db.query<{ name: string }>('select name from features where name = any($1)', [names]);
  const knownNames = new Set(known.rows.map(({ name }) => name));
  return describe(
    db,
    clickhouse,
    rows.filter(({ feature_name }) => !knownNames.has(feature_name)),
  );
}
