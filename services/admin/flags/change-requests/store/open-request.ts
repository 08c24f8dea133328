import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound, notValid, ownedByUnleash } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { type LockedRequest, lockChangeRequest } from './lock.ts';

export type DraftKey = { readonly project: string; readonly environment: string; readonly caller: Caller };

/**
 * Locks and returns the caller's open request. If two calls create one at the same time, the second finds the request of the
 * first.
 */
export async function openRequest(client: PostgresClient, key: DraftKey): Promise<LockedRequest> {
  const { project, environment, caller } = key;
  await checkKey(client, key);
  const inserted = await client.query<{ id: number }>(
    `insert into change_requests (
       project, environment, state, state_timestamps, created_by, created_by_token
     )
     values ($1, $2, 'Draft', jsonb_build_object('Draft', $5::text), $3, $4)
     on conflict (
       project, environment, created_by, coalesce(created_by_token, '00000000-0000-0000-0000-000000000000')
     ) where state not in ('Applied', 'Cancelled', 'Rejected', 'Scheduled') do nothing
     returning id`,
    [project, environment, caller.userId, caller.tokenId, new Date().toISOString()],
  );
  const id = inserted.rows[0]?.id ?? (await findOpenId(client, key));
  const request = id === undefined ? undefined : await lockChangeRequest(client, id);
  if (request === undefined) throw notValid('Your open change request has just been closed.');
  if (inserted.rowCount === 1) {
    const data = { id: request.id };
    const type = 'change-request-created';
    await recordEvent(client, { type, caller, project, environment, data, changeRequestId: request.id });
  }
  return request;
}

/** Denies what concerns no project of flagmeter or no environment. */
export async function checkKey(client: PostgresClient, { project, environment }: DraftKey): Promise<void> {
  const { rows } = await client.query<{ source: string }>(
    `select p.source
     from projects as p
     join environments as e on e.name = $2
     where p.id = $1`,
    [project, environment],
  );
  if (rows[0] === undefined) throw notFound('There is no such project or environment.');
  if (rows[0].source === 'unleash') throw ownedByUnleash('this project');
}

async function findOpenId(client: PostgresClient, key: DraftKey): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(
    `select id
     from change_requests
     where project = $1
       and environment = $2
       and created_by = $3
       and created_by_token is not distinct from $4::uuid
       and state not in ('Applied', 'Cancelled', 'Rejected', 'Scheduled')`,
    [key.project, key.environment, key.caller.userId, key.caller.tokenId],
  );
  return rows[0]?.id;
}
