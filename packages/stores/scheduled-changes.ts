import { SYSTEM } from '#domain';
import { applyChanges } from './apply-changes.ts';
import { type LockedRequest, RefusedError, advance, lockChangeRequest } from './change-request-steps.ts';
import { type Postgres, type PostgresClient, inTransaction } from './postgres.ts';
import { recordEvent } from './record-event.ts';

/**
 * Applies one change request whose time has come, as flagmeter itself; gives whether there was one. Several processes may
 * look at once: a request that another one holds is passed over. What cannot be applied is marked failed in the same
 * transaction, after its changes are taken back.
 */
export function applyNextScheduled(db: Postgres): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `select r.id
       from change_requests as r
       join change_request_schedule as s on s.change_request = r.id
       where r.state = 'Scheduled'
         and s.status = 'pending'
         and s.scheduled_at <= now()
       order by s.scheduled_at, r.id
       limit 1
       for update of r skip locked`,
    );
    const request = rows[0] === undefined ? undefined : await lockChangeRequest(client, rows[0].id);
    if (request === undefined) return false;
    await client.query('savepoint application');
    try {
      await apply(client, request);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      await client.query('rollback to savepoint application');
      await markFailed(client, request, error.message);
    }
    return true;
  });
}

async function apply(client: PostgresClient, request: LockedRequest): Promise<void> {
  const { id, project, environment } = request;
  await advance(client, request, {
    caller: SYSTEM,
    action: 'apply',
    work: () => applyChanges(client, request, SYSTEM),
  });
  await recordEvent(client, {
    type: 'change-request-scheduled-application-success',
    caller: SYSTEM,
    project,
    environment,
    data: { id },
    changeRequestId: id,
  });
}

async function markFailed(client: PostgresClient, request: LockedRequest, reason: string): Promise<void> {
  const { id, project, environment } = request;
  await client.query(
    `update change_request_schedule
     set status = 'failed', reason = $2
     where change_request = $1`,
    [id, reason],
  );
  await recordEvent(client, {
    type: 'change-request-scheduled-application-failure',
    caller: SYSTEM,
    project,
    environment,
    data: { id, reason },
    changeRequestId: id,
  });
}
