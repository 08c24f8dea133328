import { type StoredConfiguration, configurationOf } from './configuration.ts';
import type { CopiedTable } from '../copied-table.ts';
import { syncOf } from '../copy-table.ts';
import { secondsOf, textOfTime } from '../rows.ts';

/** Features with their configurations. */
export const FEATURES: CopiedTable<FeatureRow> = {
  name: 'features',
  table: 'features',
  copies: 'feature_copies',
  identity: { name: 'text' },
  columns: `
    t.name,
    t.project,
    t.type,
    t.archived_at is not null as archived,
    t.stale,
    t.source,
    coalesce(t.provider, '') as provider,
    coalesce(t.owner, '') as owner,
    t.tags,
    t.guards,
    ${secondsOf('t.created_at')} as created_at,
    coalesce(of_feature.configurations, '[]') as configurations,
    coalesce(of_feature.size_bytes, 0)::int
      + octet_length(array_to_string(t.tags, ',')) + octet_length(t.guards::text) as size_bytes`,
  joins: `
    left join lateral (
      select
        json_agg(
          json_build_object(
            'environment', e.environment,
            'enabled', e.enabled,
            'strategies', e.strategies,
            'variants', e.variants,
            'changed_at', ${textOfTime('e.changed_at')}
          )
          order by e.environment
        ) as configurations,
        sum(octet_length(e.strategies::text) + octet_length(e.variants::text)) as size_bytes
      from feature_environments as e
      where e.feature_name = t.name
    ) as of_feature on true`,
  toCopy,
};

export const syncFeatures = syncOf(FEATURES);

/** As the admin API stores it. */
type Guard = {
  readonly metric: string;
  readonly direction: string;
  readonly threshold: number;
  readonly above: number | null;
  readonly turnOff: readonly string[];
};

type FeatureRow = {
  readonly project: string;
  readonly type: string;
  readonly archived: boolean;
  readonly stale: boolean;
  readonly source: string;
  readonly provider: string;
  readonly owner: string;
  readonly tags: readonly string[];
  readonly guards: readonly Guard[];
  readonly configurations: readonly (StoredConfiguration & {
    readonly environment: string;
    readonly changed_at: string;
  })[];
  readonly size_bytes: number;
};

function toCopy({ configurations, guards, size_bytes: _, ...feature }: FeatureRow) {
  const derived = configurations.map(configurationOf);
  return {
    ...feature,
    guards: guards.map(({ turnOff, ...guard }) => ({ ...guard, turn_off: turnOff })),
    enabled_in: configurations.filter(({ enabled }) => enabled).map(({ environment }) => environment),
    environments: configurations.map(({ environment }) => environment),
    are_enabled: configurations.map(({ enabled }) => enabled),
    changed_at: configurations.map(({ changed_at }) => changed_at),
    strategies: derived.map(({ strategies }) => strategies),
    rollout_percents: derived.map(({ rollout_percent }) => rollout_percent),
    constraints: derived.map(({ constraints }) => constraints),
    variants: derived.map(({ variants }) => variants),
  };
}
