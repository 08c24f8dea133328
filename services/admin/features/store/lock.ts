import type { PostgresClient } from '#postgres';
import type { Caller } from '#tokens';

export type LockedFeature = {
  readonly project: string;
  readonly type: string;
  readonly description: string | null;
  readonly stale: boolean;
  readonly owner: string | null;
  readonly tags: string[];
  readonly impression_data: boolean;
  readonly archived_at: Date | null;
  readonly source: 'flagmeter' | 'unleash';
  readonly version: number;
};

export async function lockFeature(client: PostgresClient, name: string): Promise<LockedFeature | undefined> {
  const { rows } = await client.query<LockedFeature>(
    `select project, type, description, stale, owner, tags, impression_data, archived_at, source, version
     from features
     where name = $1
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
  { role }: Caller,
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
