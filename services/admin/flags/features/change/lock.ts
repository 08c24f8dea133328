import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial } from '../../../denial.ts';
import type { FeatureSource } from '../schema.ts';
import { type Content, SELECT_CONTENT } from '../columns.ts';

export type LockedFeature = {
  readonly project: string;
  readonly content: Content;
  readonly archived_at: Date | null;
  readonly source: FeatureSource;
  readonly version: number;
};

export async function lockFeature(client: PostgresClient, name: string): Promise<LockedFeature | undefined> {
  const { rows } = await client.query<LockedFeature>(
    `select f.project, ${SELECT_CONTENT} as content, f.archived_at, f.source, f.version
     from features as f
     where f.name = $1
     for update`,
    [name],
  );
  return rows[0];
}

/**
 * Whether the caller may change a feature without a change request. If the environment requires approvals, only an Admin may;
 * without an environment, if any environment does.
 */
export async function mayChange(
  client: PostgresClient,
  { project, environment }: { readonly project: string; readonly environment?: string },
  { role }: Pick<Caller, 'role'>,
): Promise<boolean> {
  if (role === 'Admin') return true;
  const { rowCount } = await client.query(
    `select
     from change_request_settings
     where project = $1
       and environment = coalesce($2, environment)
     limit 1`,
    [project, environment],
  );
  return rowCount === 0;
}

export function ownedByProvider(): Denial {
  return new Denial(
    'OwnedByProvider',
    'Only another flag system has this feature: change there where it is on, its strategies and its variants.',
  );
}

export async function versionOf(client: PostgresClient, feature: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>('select version from features where name = $1', [
    feature,
  ]);
  return rows[0]?.version ?? 0;
}
