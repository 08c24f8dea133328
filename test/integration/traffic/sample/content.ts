import type { World } from '../../../support/world.ts';

const CLICKHOUSE_TABLES = [
  'usage_hourly',
  'usage_daily',
  'variants_hourly',
  'variants_daily',
  'blocks',
  'refusals_daily',
  'impact_hourly',
  'impact_daily',
  'impact_metric_states',
  'relay_reports',
  'relays_daily',
  'feature_app_seen_states',
  'instance_copies',
] as const;

const POSTGRES_TABLES = [
  'projects',
  'environments',
  'features',
  'feature_environments',
  'events',
  'users',
  'change_requests',
  'change_request_events',
  'change_request_comments',
  'change_request_settings',
  'client_applications',
  'client_applications_usage',
  'client_instances',
  'relays',
] as const;

type Content = Record<(typeof CLICKHOUSE_TABLES)[number] | (typeof POSTGRES_TABLES)[number], number>;

/** Rows of each table. The copies of features keep a mark of those that are gone, so their view counts. */
export async function contentOf(world: World): Promise<Content & { featuresOfAnalysts: number }> {
  const counts: Partial<Content> = {};
  // Counts keys, because merges may add up rows at any time.
  for (const table of CLICKHOUSE_TABLES) {
    const [row] = await world.query<{ count: string }>(
      `select count() as count from ${table} settings final = 1`,
    );
    counts[table] = Number(row?.count);
  }
  for (const table of POSTGRES_TABLES) {
    const { rows } = await world.db.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    counts[table] = rows[0]?.count ?? 0;
  }
  const [row] = await world.query<{ count: string }>('select count() as count from features');
  return { ...(counts as Content), featuresOfAnalysts: Number(row?.count) }; // of each table
}
