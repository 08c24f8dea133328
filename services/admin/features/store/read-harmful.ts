import { type ClickHouse, readUsage } from '#clickhouse';
import type { Harmful } from './turn-off.ts';

/**
 * The features that are harmful and have had their configuration for some minutes. The verdict knows configurations half a
 * minute late, so that an older one may be the reason for the verdict on a newer one.
 */
export async function readHarmful(clickhouse: ClickHouse): Promise<Harmful[]> {
  const rows = await readUsage<{
    feature: string;
    environment: string;
    metric: string;
    reason: string;
    configured_at_ms: string;
  }>(
    clickhouse,
    `select
       v.feature_name as feature,
       v.environment as environment,
       v.subject as metric,
       v.sentence as reason,
       toUnixTimestamp64Milli(c.changed_at) as configured_at_ms
     from feature_verdicts as v
     inner join feature_configurations as c on c.feature_name = v.feature_name and c.environment = v.environment
     where v.verdict = 'harmful'
       and c.enabled
       and c.changed_at < v.computed_at - interval 5 minute
     order by feature, environment
     limit 1000`,
    {},
  );
  return rows.map(({ configured_at_ms, ...row }) => ({ ...row, configuredAtMs: Number(configured_at_ms) }));
}
