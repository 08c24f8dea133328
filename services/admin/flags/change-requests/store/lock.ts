import type { Postgres, PostgresClient } from '#base/postgres';
import { type Caller, EVERY, type Identity, type StoredGrant, grantsOf, isSameActor } from '#base/tokens';
import type { Approval } from '../rules/approvals.ts';
import { mayDecide } from '../rules/may-decide.ts';
import type { ChangeRequestState, Situation } from '../rules.ts';
import { IS_AUTHOR_GONE } from './author.ts';

/** A change request that is locked until its transaction ends. */
export type LockedRequest = {
  readonly id: number;
  readonly project: string;
  readonly environment: string;
  /** During an edit, the version that the edit makes. */
  readonly version: number;
  /** Whether its author is a user or token that no longer exists. */
  readonly isAuthorGone: boolean;
  /** The request before the step. */
  readonly situation: Situation;
};

type RequestRow = {
  id: number;
  project: string;
  environment: string;
  version: number;
  state: ChangeRequestState;
  min_approvals: number;
  created_by: number;
  created_by_token: string | null;
  isAuthorGone: boolean;
};

export async function lockChangeRequest(
  client: PostgresClient,
  id: number,
): Promise<LockedRequest | undefined> {
  // Two statements, because the second must also see what the lock waited for.
  const locked = await client.query('select from change_requests where id = $1 for update', [id]);
  if (locked.rowCount === 0) return undefined;
  const { rows } = await client.query<RequestRow>(
    `select
       id, project, environment, version, state, approvals_required(id) as min_approvals, created_by, created_by_token,
       ${IS_AUTHOR_GONE} as "isAuthorGone"
     from change_requests as r
     where id = $1`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? undefined : { ...row, situation: await readSituation(client, row) };
}

async function readSituation(client: PostgresClient, row: RequestRow): Promise<Situation> {
  const changes = await client.query<{ count: number }>(
    `select count(*)::int as count
     from change_request_events
     where change_request_id = $1`,
    [row.id],
  );
  return {
    state: row.state,
    version: row.version,
    author: toAuthor(row),
    approvals: await readApprovals(client, row.id),
    minApprovals: row.min_approvals,
    changes: changes.rows[0]?.count ?? 0,
  };
}

type ApprovalRow = Pick<RequestRow, 'created_by' | 'created_by_token' | 'version'> & {
  name: string;
  role: Approval['role'];
  grants: StoredGrant[] | null;
  project: string;
  /** Null if the request changes every environment. */
  environment: string | null;
  gone: Exclude<Approval['gone'], undefined> | null;
};

/** The approvals that no edit has withdrawn. */
export async function readApprovals(db: Postgres | PostgresClient, id: number): Promise<Approval[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select
       a.created_by, a.created_by_token, a.version, u.root_role as role,
       g.grants, r.project, case when not archives_features(r.id) then r.environment end as environment,
       coalesce(t.token_name, u.username, u.email, u.name, 'user ' || u.id) as name,
       case
         when u.deleted_at is not null then 'deleted user'
         when coalesce(t.revoked_at, p.revoked_at) is not null then 'revoked token'
         when t.expires_at <= now() then 'expired token'
       end as gone
     from change_request_approvals as a
     join change_requests as r on r.id = a.change_request_id
     join users as u on u.id = a.created_by
     left join user_grants as g on g.user_id = u.id
     left join api_tokens as t on t.id = a.created_by_token
     left join personal_access_tokens as p on p.id = a.personal_token
     where a.change_request_id = $1
       and a.withdrawn_at is null
     order by a.id`,
    [id],
  );
  return rows.map((row) => ({
    ...toAuthor(row),
    name: row.name,
    role: row.role,
    mayApprove: mayDecide({ role: row.role, grants: grantsOf(row.grants ?? []) }, 'APPROVE_CHANGE_REQUEST', {
      project: row.project,
      environment: row.environment ?? EVERY,
    }),
    version: row.version,
    gone: row.gone ?? undefined,
  }));
}

export function toAuthor(row: Pick<RequestRow, 'created_by' | 'created_by_token'>): Identity {
  return { userId: row.created_by, tokenId: row.created_by_token ?? undefined };
}

/** Only its author sees a draft, and everybody if the author is gone. */
export function isVisible({ situation, isAuthorGone }: LockedRequest, caller: Caller): boolean {
  return situation.state !== 'Draft' || isAuthorGone || isSameActor(situation.author, caller);
}
