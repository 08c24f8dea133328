import type { PostgresClient } from '#base/postgres';
import {
  type ListedFeature,
  type UnleashFeature,
  tagsOf,
  configurationOfStrategy,
  configurationOfVariant,
} from '#unleash/client';

/** The data of a feature in a list, archived or not. */
export type FeatureRow = {
  readonly name: string;
  readonly project: string;
  readonly type: string;
  readonly description: string | null;
  readonly stale: boolean;
  readonly tags: readonly string[];
  readonly impression_data: boolean;
  readonly created_at: string;
  readonly archived_at: string | null;
  readonly environments: readonly { readonly name: string; readonly enabled: boolean }[];
};

export function rowOf(
  feature: ListedFeature & { readonly project: string },
  archivedAt: string | null = null,
): FeatureRow {
  return {
    name: feature.name,
    project: feature.project,
    type: feature.type,
    description: feature.description ?? null,
    stale: feature.stale === true,
    tags: tagsOf(feature.tags),
    impression_data: feature.impressionData === true,
    created_at: feature.createdAt,
    archived_at: archivedAt,
    environments: feature.environments.map(({ name, enabled }) => ({ name, enabled })),
  };
}

/**
 * Stores features as they are in Unleash, and returns the names of those that differed. Unleash becomes the owner of a feature
 * of ours with the same name.
 */
export async function storeFeatures(
  client: PostgresClient,
  features: readonly FeatureRow[],
): Promise<readonly string[]> {
  const rows = JSON.stringify(features);
  await client.query(INSERT_ARCHIVED_PROJECTS, [rows]);
  const changed = await client.query<{ name: string }>(UPSERT_FEATURES, [rows]);
  const switched = await client.query<{ name: string }>(UPSERT_STATES, [rows]);
  return [...new Set([...changed.rows, ...switched.rows].map(({ name }) => name))];
}

/** Unleash does not list a project that it has archived, but still lists the archived features of that project. */
const INSERT_ARCHIVED_PROJECTS = `
  insert into projects (id, name, source, vanished_at)
  select distinct project, project, 'unleash', now()
  from jsonb_to_recordset($1) as row (project text)
  on conflict (id) do nothing`;

/** The type of each column that Unleash decides. The statement is derived from this table, so a forgotten column does not compile. */
const COLUMNS: Readonly<Record<Exclude<keyof FeatureRow, 'environments'>, string>> = {
  name: 'text',
  project: 'text',
  type: 'text',
  description: 'text',
  stale: 'boolean',
  tags: 'text[]',
  impression_data: 'boolean',
  created_at: 'timestamptz',
  archived_at: 'timestamptz',
};
const NAMES = Object.keys(COLUMNS);
const CHANGEABLE = NAMES.filter((name) => name !== 'name');
const listOf = (names: readonly string[], table: string) =>
  names.map((name) => `${table}.${name}`).join(', ');

const UPSERT_FEATURES = `
  insert into features as known (${NAMES.join(', ')}, source)
  select ${listOf(NAMES, 'row')}, 'unleash'
  from jsonb_to_recordset($1) as row (${Object.entries(COLUMNS)
    .map((column) => column.join(' '))
    .join(', ')})
  order by name
  on conflict (name) do update
  set ${CHANGEABLE.map((name) => `${name} = excluded.${name}`).join(', ')},
      source = 'unleash',
      vanished_at = null
  where (${listOf(CHANGEABLE, 'known')}, known.source, known.vanished_at)
    is distinct from (${listOf(CHANGEABLE, 'excluded')}, 'unleash', null)
  returning name`;

const UPSERT_STATES = `
  insert into feature_environments as known (feature_name, environment, enabled)
  select row.name, e.name, e.enabled
  from jsonb_to_recordset($1) as row (name text, environments jsonb)
  cross join jsonb_to_recordset(row.environments) as e (name text, enabled boolean)
  order by row.name, e.name
  on conflict (feature_name, environment) do update
  set enabled = excluded.enabled
  where known.enabled <> excluded.enabled
  returning feature_name as name`;

/** Stores strategies and variants, and deletes environments that the feature's project no longer has. */
export async function storeConfigurations(
  client: PostgresClient,
  features: readonly UnleashFeature[],
): Promise<void> {
  const rows = JSON.stringify(features.map(configurationOf));
  await client.query(UPDATE_CONFIGURATIONS, [rows]);
  await client.query(DELETE_ENVIRONMENTS, [rows]);
}

function configurationOf({ name, environments }: UnleashFeature) {
  return {
    name,
    environments: environments.map(({ name: environment, strategies, variants = [] }) => ({
      environment,
      strategies: strategies.map(configurationOfStrategy),
      variants: variants.map(configurationOfVariant),
    })),
  };
}

const UPDATE_CONFIGURATIONS = `
  update feature_environments as known
  set strategies = e.strategies, variants = e.variants
  from jsonb_to_recordset($1) as row (name text, environments jsonb)
  cross join jsonb_to_recordset(row.environments) as e (environment text, strategies jsonb, variants jsonb)
  where known.feature_name = row.name
    and known.environment = e.environment
    and (known.strategies, known.variants) is distinct from (e.strategies, e.variants)`;

const DELETE_ENVIRONMENTS = `
  delete from feature_environments as known
  using jsonb_to_recordset($1) as row (name text, environments jsonb)
  where known.feature_name = row.name
    and not exists (
      select
      from jsonb_to_recordset(row.environments) as e (environment text)
      where e.environment = known.environment
    )`;
