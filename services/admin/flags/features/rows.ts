import type { Feature, FeatureSource } from './schema.ts';
import { type Content, SELECT_CONTENT, SIZE_OF_CONTENT } from './columns.ts';

export type FeatureRow = {
  name: string;
  project: string;
  content: Content;
  archived_at: Date | null;
  source: FeatureSource;
  provider: string | null;
  created_at: Date;
  created_by: string | null;
  version: number;
  favorite: boolean;
  /** The epoch if there was no evaluation. */
  last_seen_at: Date;
  environments: { name: string; enabled: boolean; lastSeenAt: string | null }[];
  size_bytes: number;
};

/** How a SELECT of features reads the last evaluation: the column, and the join that has it, if any. */
export type LastSeen = { readonly column: string; readonly join: string };

/** Looks the time up for each row of the result. `environment` is SQL; '' means all environments. */
export function lookUpLastSeen(environment: string): LastSeen {
  const column = `coalesce(
    (
      select s.last_seen_at
      from feature_last_seen as s
      where s.feature_name = f.name
        and s.environment = ${environment}
    ),
    'epoch'
  )`;
  return { column, join: '' };
}

/** `$1` and `$2` identify the caller. */
export function selectFeatures({ column, join }: LastSeen): string {
  return `
    select
      f.name, f.project, ${SELECT_CONTENT} as content, f.archived_at, f.source, f.provider, f.created_at, f.version,
      ${column} as last_seen_at,
      (
        select e.created_by
        from events as e
        where e.feature_name = f.name
          and e.type = 'feature-created'
        order by e.created_at, e.id
        limit 1
      ) as created_by,
      ${SIZE_OF_CONTENT} as size_bytes,
      exists (
        select
        from favorite_features as v
        where v.feature = f.name
          and v.user_id = $1
          and v.token_id is not distinct from $2::uuid
      ) as favorite,
      (
        select coalesce(
          json_agg(
            json_build_object('name', e.name, 'enabled', coalesce(b.enabled, false), 'lastSeenAt', l.last_seen_at)
            order by e.sort_order, e.name
          ),
          '[]'
        )
        from environments as e
        left join feature_environments as b on b.environment = e.name and b.feature_name = f.name
        left join feature_last_seen as l on l.environment = e.name and l.feature_name = f.name
        where e.enabled
      ) as environments
    from features as f
    ${join}`;
}

export function toFeature(row: FeatureRow): Feature {
  return {
    name: row.name,
    project: row.project,
    ...row.content,
    archived: row.archived_at !== null,
    archivedAt: row.archived_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    source: row.source,
    provider: row.provider,
    favorite: row.favorite,
    lastSeenAt: isoOf(row.last_seen_at),
    environments: row.environments.map(({ name, enabled, lastSeenAt }) => ({
      name,
      enabled,
      lastSeenAt: lastSeenAt === null ? null : isoOf(new Date(lastSeenAt)),
    })),
  };
}

function isoOf(lastSeenAt: Date): string | null {
  return lastSeenAt.getTime() === 0 ? null : lastSeenAt.toISOString();
}
