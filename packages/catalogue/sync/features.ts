import { type ClickHouse, readRows } from '#clickhouse';
import type { Pages, Postgres } from '#postgres';
import { type StoredConfiguration, configurationOf } from './configuration.ts';
import { insertPages, insertRows, secondsOf, textOfTime } from './rows.ts';

/** A feature changed if its version did. A feature that was deleted and created again has another time. */
type Version = {
  readonly name: string;
  readonly version: number;
  /** Epoch seconds. */
  readonly created_at: number;
};

/**
 * Copies the changes of features and of their configurations from Postgres to ClickHouse, including deletions. Several workers
 * may do this at once: the next round corrects late writes.
 */
export async function syncFeatures(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  const stored = await readRows<Version>(
    clickhouse,
    'select name, version, toUnixTimestamp(created_at) as created_at from feature_copies final',
  );
  const { rows } = await db.query<Version>(
    `select name, version, ${secondsOf('created_at')} as created_at from features`,
  );
  const known = new Map(stored.map((row) => [row.name, row]));
  const changed = rows.filter((row) => !isSame(row, known.get(row.name))).map(({ name }) => name);
  for (const { name } of rows) known.delete(name);
  await insertPages(clickhouse, { table: 'feature_copies', pages: readFeatures(db, changed) }, toCopy);
  await insertRows(
    clickhouse,
    'feature_copies',
    [...known.keys()].map((name) => ({ name, is_gone: 1 })),
  );
}

function isSame(one: Version, other: Version | undefined): boolean {
  return one.version === other?.version && one.created_at === other.created_at;
}

/** Few, because the strategies of one feature may have many kilobytes. */
const NAMES_PER_READ = 100;

/** As the admin API stores it. */
type Guard = {
  readonly metric: string;
  readonly direction: string;
  readonly threshold: number;
  readonly above: number | null;
  readonly turnOff: boolean;
};

type FeatureRow = Version & {
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

async function* readFeatures(db: Postgres, names: readonly string[]): Pages<FeatureRow> {
  for (let from = 0; from < names.length; from += NAMES_PER_READ) {
    const { rows } = await db.query<FeatureRow>(FEATURES, [names.slice(from, from + NAMES_PER_READ)]);
    yield rows;
  }
}

const FEATURES = `
    select
      f.name,
      f.project,
      f.type,
      f.archived_at is not null as archived,
      f.stale,
      f.source,
      coalesce(f.provider, '') as provider,
      coalesce(f.owner, '') as owner,
      f.tags,
      f.guards,
      ${secondsOf('f.created_at')} as created_at,
      f.version,
      coalesce(of_feature.configurations, '[]') as configurations,
      coalesce(of_feature.size_bytes, 0)::int 
        + octet_length(array_to_string(f.tags, ',')) + octet_length(f.guards::text) as size_bytes
    from features as f
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
      where e.feature_name = f.name
    ) as of_feature on true
    where f.name = any ($1)`;

function toCopy({ configurations, guards, size_bytes: _, ...feature }: FeatureRow) {
  const derived = configurations.map(configurationOf);
  return {
    ...feature,
    guards: guards.map(({ turnOff, ...guard }) => ({ ...guard, turn_off: turnOff })),
    is_gone: 0,
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
