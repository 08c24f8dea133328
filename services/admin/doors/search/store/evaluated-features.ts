import { type ClickHouse, ofProjects } from '#core/clickhouse';
import type { Visible } from '#base/tokens';
import type { EvaluatedFeature, EvaluatedFeaturesQuery } from '../schemas.ts';
import type { Page } from './page.ts';
import { MAX_ORDERED_COUNT, type UsagePage, readUsagePage } from './usage-page.ts';

type Row = {
  feature_name: string;
  environment: string;
  yes: string;
  no: string;
  unknown: string;
  capped_count: string;
};

const UNIQUE = [
  { column: 'feature_name', kind: 'text' },
  { column: 'environment', kind: 'text' },
] as const;
const SORTS: UsagePage<Row>['sorts'] = {
  name: UNIQUE,
  count: [{ column: 'capped_count', kind: 'number' }, ...UNIQUE],
};

const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 30;
/** Windows that begin earlier are read in days: fewer rows, which are kept for longer. */
const MAX_DAYS_OF_HOURS = 8;
const HOURS = {
  table: 'usage_hourly',
  time: 'hour',
  first: "toStartOfHour(toDateTime({from:UInt32}, 'UTC'))",
};
const DAYS = { table: 'usage_daily', time: 'day', first: "toDate(toDateTime({from:UInt32}, 'UTC'))" };

/** Reads a page of evaluated features and their counts. */
export async function readEvaluatedFeatures(
  clickhouse: ClickHouse,
  { query, visible }: { readonly query: EvaluatedFeaturesQuery; readonly visible: Visible },
  now = Date.now(),
): Promise<Page<EvaluatedFeature>> {
  const { appName, environment } = query;
  const from = query.from === undefined ? now - DEFAULT_DAYS * DAY_MS : Date.parse(query.from);
  // Clocks of relays may be ahead.
  const to = query.to === undefined ? now + DAY_MS : Date.parse(query.to);
  const isByHour = from > now - MAX_DAYS_OF_HOURS * DAY_MS;
  const page = await readUsagePage<Row>(clickhouse, {
    query,
    sorts: SORTS,
    select: selectFrom(isByHour ? HOURS : DAYS, query, visible),
    parameters: { appName, environment, visible, from: Math.floor(from / 1000), to: Math.floor(to / 1000) },
  });
  return {
    ...page,
    items: page.items.map(({ feature_name, yes, no, unknown, ...row }) => ({
      name: feature_name,
      environment: row.environment,
      yes: Number(yes),
      no: Number(no),
      unknown: Number(unknown),
    })),
  };
}

/** Looks up the features of the application first, because the key of the usage tables begins with the feature. */
function selectFrom(
  { table, time, first }: typeof HOURS,
  { appName, environment }: EvaluatedFeaturesQuery,
  visible: Visible,
): string {
  const ofApplication = `
    and (feature_name, environment, app_name) in (
      select feature_name, environment, app_name
      from feature_app_seen_states
      where app_name = {appName:String}
        and last_hour >= ${first}
    )`;
  return `
    select
      feature_name,
      environment,
      sum(u.yes) as yes,
      sum(u.no) as no,
      sum(u.unknown) as unknown,
      least(sum(u.yes + u.no + u.unknown), ${MAX_ORDERED_COUNT}) as capped_count
    from ${table} as u
    where ${time} >= ${first}
      and ${time} < toDateTime({to:UInt32}, 'UTC')
      and feature_name != ''
      ${ofProjects(visible)}
      ${appName === undefined ? '' : ofApplication}
      ${environment === undefined ? '' : 'and environment = {environment:String}'}
    group by feature_name, environment`;
}
