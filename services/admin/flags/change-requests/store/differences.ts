import type { Postgres, PostgresClient } from '#base/postgres';
import type { Differences } from '../schema.ts';
import type { LockedRequest } from './lock.ts';
import { type Seen, VISIBLE, noSuchRequest } from './rows.ts';

export type PastChange = {
  readonly id: number;
  readonly feature: string | null;
  /** The change before the edit; undefined if the edit added the change. */
  readonly before?: { readonly action: string; readonly payload: unknown };
};

/** Keeps what an edit replaces. No one but its author has read a draft, so drafts have no past. */
export async function keepPastChange(
  client: PostgresClient,
  { id, version, situation }: LockedRequest,
  { id: changeId, feature, before }: PastChange,
): Promise<void> {
  if (situation.state === 'Draft') return;
  await client.query(
    `insert into change_request_edits (change_request_id, version, change_id, feature, action, payload)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, version, changeId, feature, before?.action, before && JSON.stringify(before.payload)],
  );
}

export async function keepPastTitle(
  client: PostgresClient,
  { id, version, situation }: LockedRequest,
): Promise<void> {
  if (situation.state === 'Draft') return;
  await client.query(
    `insert into change_request_edits (change_request_id, version, title)
     select id, $2, title
     from change_requests
     where id = $1`,
    [id, version],
  );
}

type Row = {
  version: number;
  title: string | null;
  title_edit: { title: string | null } | null;
  edits: {
    id: number;
    feature: string | null;
    before: { action: string; payload: unknown } | null;
    after: { action: string; payload: unknown } | null;
  }[];
};

/** The differences between the versions `$5` and now, in one statement, so that they fit together. */
const SELECT = `
  select
    r.version, r.title,
    (
      select json_build_object('title', e.title)
      from change_request_edits as e
      where e.change_request_id = r.id
        and e.version > $5
        and e.change_id is null
      order by e.version
      limit 1
    ) as title_edit,
    (
      select coalesce(
        json_agg(
          json_build_object(
            'id', first.change_id,
            'feature', first.feature,
            'before', case when first.action is not null
              then json_build_object('action', first.action, 'payload', first.payload) end,
            'after', case when c.id is not null
              then json_build_object('action', c.action, 'payload', c.payload) end
          ) order by first.change_id
        ),
        '[]'
      )
      from (
        select distinct on (e.change_id) e.change_id, e.feature, e.action, e.payload
        from change_request_edits as e
        where e.change_request_id = r.id
          and e.version > $5
          and e.change_id is not null
        order by e.change_id, e.version
      ) as first
      left join change_request_events as c on c.id = first.change_id and c.change_request_id = r.id
    ) as edits
  from change_requests as r
  ${VISIBLE}
    and r.id = $4`;

/** Undefined for an unknown request, and for a draft of somebody else. */
export async function findDifferences(
  db: Postgres,
  { id, since }: { readonly id: number; readonly since: number },
  { project, caller }: Seen,
): Promise<Differences> {
  const { rows } = await db.query<Row>(SELECT, [project, caller.userId, caller.tokenId, id, since]);
  const [row] = rows;
  if (row === undefined) throw noSuchRequest();
  return toDifferences(row, since);
}

function toDifferences({ version, title, title_edit, edits }: Row, since: number): Differences {
  const hasOtherTitle = title_edit !== null && title_edit.title !== title;
  return {
    since,
    version,
    ...(hasOtherTitle ? { title: { before: title_edit.title, after: title } } : {}),
    changes: edits
      .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
      .map(({ id, feature, before, after }) => ({
        id,
        ...(feature === null ? {} : { feature }),
        ...(before === null ? {} : { before: contentOf(before) }),
        ...(after === null ? {} : { after: contentOf(after) }),
      })),
  };
}

function contentOf({ action, payload }: { action: string; payload: unknown }) {
  return { action, ...(payload === null ? {} : { payload }) };
}
