import type { Postgres, PostgresClient } from '#base/postgres';

/** A feature that changed in Unleash and must still be read. */
export type Outdated = {
  readonly name: string;
  readonly project: string;
  /** Undefined if they may have changed too. */
  readonly tags: readonly string[] | undefined;
  /** The text from Postgres, which is exact. */
  readonly markedAt: string;
};

export async function readOutdated(db: Postgres, limit: number): Promise<readonly Outdated[]> {
  const { rows } = await db.query<Omit<Outdated, 'tags'> & { tags: string[] | null }>(
    `select o.name, o.project, o.marked_at::text as "markedAt", f.tags
     from unleash_outdated_features as o
     left join features as f on f.name = o.name and o.are_tags_listed
     order by o.marked_at, o.name
     limit $1`,
    [limit],
  );
  return rows.map((row) => ({ ...row, tags: row.tags ?? undefined }));
}

type Changed = { readonly name: string; readonly project: string };

/** Marks features, each once, in their latest known project. `areTagsListed` says whether a list has just shown their tags. */
export async function markOutdated(
  client: PostgresClient,
  changed: readonly Changed[],
  { areTagsListed }: { readonly areTagsListed: boolean },
): Promise<void> {
  await client.query(
    `insert into unleash_outdated_features (name, project, are_tags_listed)
     select name, project, $2
     from jsonb_to_recordset($1) as row (name text, project text)
     order by name
     on conflict (name) do update
     set project = excluded.project, are_tags_listed = excluded.are_tags_listed, marked_at = clock_timestamp()`,
    [JSON.stringify(changed), areTagsListed],
  );
}

/** Marks the active features of a project that are missing from its list. */
export async function markMissing(
  client: PostgresClient,
  { project, listed }: { readonly project: string; readonly listed: readonly string[] },
): Promise<void> {
  await client.query(
    `insert into unleash_outdated_features (name, project)
     select name, project
     from features
     where project = $1
       and source = 'unleash'
       and archived_at is null
       and not exists (select from unnest($2::text[]) as listed (name) where listed.name = features.name)
     order by name
     on conflict (name) do nothing`,
    [project, listed],
  );
}

/** A feature that was marked again while it was read stays marked. */
export async function unmarkOutdated(client: PostgresClient, done: readonly Outdated[]): Promise<void> {
  await client.query(
    `delete from unleash_outdated_features as o
     using jsonb_to_recordset($1) as done (name text, "markedAt" timestamptz)
     where o.name = done.name
       and o.marked_at = done."markedAt"`,
    [JSON.stringify(done)],
  );
}
