import type { PostgresClient } from '#base/postgres';
import { type Caller, personalTokenOf } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { LockedRequest } from './lock.ts';

type Vote = { readonly id: number; readonly caller: Caller };

/** Replaces an earlier approval by the same voter, which an edit has withdrawn. */
export async function addApproval(
  client: PostgresClient,
  { id, version }: Pick<LockedRequest, 'id' | 'version'>,
  caller: Caller,
): Promise<void> {
  await client.query(
    `insert into change_request_approvals (change_request_id, version, created_by, created_by_token, personal_token)
     values ($1, $2, $3, $4, $5)
     on conflict (
       change_request_id, created_by, coalesce(created_by_token, '00000000-0000-0000-0000-000000000000')
     ) do update
     set version = excluded.version, created_at = excluded.created_at, withdrawn_at = null,
       personal_token = excluded.personal_token`,
    [id, version, caller.userId, caller.tokenId, personalTokenOf(caller)],
  );
}

export async function addRejection(client: PostgresClient, { id, caller }: Vote): Promise<void> {
  await client.query(
    `insert into change_request_rejections (change_request_id, created_by, created_by_token)
     values ($1, $2, $3)`,
    [id, caller.userId, caller.tokenId],
  );
}

/** Withdraws the approvals of the version before an edit. The event names their voters. */
export async function withdrawApprovals(
  client: PostgresClient,
  { id, project, environment, version, situation }: LockedRequest,
  caller: Caller,
): Promise<void> {
  const { approvals } = situation;
  if (approvals.length === 0) return;
  await client.query(
    `update change_request_approvals
     set withdrawn_at = now()
     where change_request_id = $1
       and withdrawn_at is null`,
    [id],
  );
  const voters = approvals.map(({ userId, tokenId, name }) => ({ userId, tokenId, name }));
  await recordEvent(client, {
    type: 'change-request-approvals-withdrawn',
    caller,
    project,
    environment,
    data: { id, version },
    preData: { id, version: situation.version, approvals: voters },
    changeRequestId: id,
  });
}
