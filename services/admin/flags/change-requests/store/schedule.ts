import { findStanding } from '#base/auth';
import { type Postgres, type PostgresClient, inTransaction, isUnavailable } from '#base/postgres';
import { EVERY, type ProjectScope, SYSTEM } from '#base/tokens';
import { Denial, notValid } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { mayDecide } from '../rules/may-decide.ts';
import { applyChanges } from './applying/apply.ts';
import { lockChangeRequest } from './lock.ts';
import { advance } from './steps.ts';

/** The outcome for a request that was due. A postponed request is unchanged. */
export type Attempt = { readonly id: number } & (
  | { readonly outcome: 'applied' | 'denied' }
  | { readonly outcome: 'failed' | 'postponed'; readonly error: unknown }
);

export type DueSelection = {
  /** Ids of requests to leave out. */
  readonly except: readonly number[];
  /** Ids of requests to try after all others. */
  readonly last: readonly number[];
};

/** Bounds each statement, so that a lock which another transaction holds cannot block us. */
const STATEMENT_TIMEOUT = '2s';

/**
 * Tries to apply one change request that is due, on behalf of flagmeter itself; undefined if none is due. Several processes may
 * run this at once: it skips a request that another one has locked.
 *
 * If a request cannot be applied, the same transaction rolls back its changes and marks the request as failed. A temporary
 * error, also one while marking, postpones the request. So a rejection means that the search for due requests failed, never
 * that one request failed.
 */
export async function applyNextScheduled(
  db: Postgres,
  selection: DueSelection,
): Promise<Attempt | undefined> {
  if (!(await hasDue(db, selection))) return undefined;
  let found: DueRequest | undefined;
  try {
    return await inTransaction(db, async (client) => {
      await client.query(`set local statement_timeout = '${STATEMENT_TIMEOUT}'`);
      found = await lockNextDue(client, selection);
      return found === undefined ? undefined : await applyOrMark(client, found);
    });
  } catch (error) {
    if (found === undefined) throw error;
    return { id: found.id, outcome: 'postponed', error };
  }
}

type DueRequest = {
  readonly id: number;
  readonly project: string;
  readonly environment: string;
  /** The version that was scheduled. */
  readonly version: number;
  readonly archives: boolean;
  /** Who scheduled it. */
  readonly created_by: number;
  readonly created_by_token: string | null;
  readonly personal_token: string | null;
};

const DUE = `
  from change_requests as r
  join change_request_schedule as s on s.change_request = r.id
  where r.state = 'Scheduled'
    and s.status = 'pending'
    and s.scheduled_at <= now()
    and r.id <> all ($1)`;

/** One statement, because mostly none is due. */
async function hasDue(db: Postgres, { except }: DueSelection): Promise<boolean> {
  const { rowCount } = await db.query(`select ${DUE} limit 1`, [except]);
  return rowCount === 1;
}

async function lockNextDue(
  client: PostgresClient,
  { except, last }: DueSelection,
): Promise<DueRequest | undefined> {
  const { rows } = await client.query<DueRequest>(
    `select
       r.id, r.project, r.environment, s.version, s.created_by, s.created_by_token, s.personal_token,
       archives_features(r.id) as archives
     ${DUE}
     order by r.id = any ($2), s.scheduled_at, r.id
     limit 1
     for update of r skip locked`,
    [except, last],
  );
  return rows[0];
}

async function applyOrMark(client: PostgresClient, request: DueRequest): Promise<Attempt> {
  const { id } = request;
  await client.query('savepoint application');
  try {
    await apply(client, request);
    // Checks now what Postgres would otherwise check only at the commit.
    await client.query('set constraints all immediate');
    return { id, outcome: 'applied' };
  } catch (error) {
    if (isUnavailable(error)) throw error;
    await client.query('rollback to savepoint application');
    const isDenied = error instanceof Denial;
    await markFailed(client, request, isDenied ? error.message : unexpected(id)).catch((failure: unknown) => {
      throw new AggregateError(
        [error, failure],
        'a change request could be neither applied nor marked failed',
      );
    });
    return isDenied ? { id, outcome: 'denied' } : { id, outcome: 'failed', error };
  }
}

/** Hides the error itself from readers of the request, because it may contain values and SQL. */
function unexpected(id: number): string {
  return `An unexpected error stopped this change request, and nothing was changed. The log of the admin service describes the error under change request ${id}.`;
}

async function apply(client: PostgresClient, due: DueRequest): Promise<void> {
  const { id, project, environment, version } = due;
  const request = await lockChangeRequest(client, id);
  if (request === undefined) throw new Error('a locked change request is gone');
  if (request.version !== version)
    throw notValid(
      `Version ${version} was scheduled, but the change request has version ${request.version}.`,
    );
  const lost = await whyLost(client, due);
  if (lost !== undefined) throw notValid(lost);
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

/** Why whoever scheduled the request may not apply it now; undefined for somebody who may. */
async function whyLost(
  client: PostgresClient,
  { project, environment, archives, ...due }: DueRequest,
): Promise<string | undefined> {
  const scheduledBy = {
    userId: due.created_by,
    tokenId: due.created_by_token ?? undefined,
    personalToken: due.personal_token ?? undefined,
  };
  const standing = await findStanding(client, scheduledBy);
  const again = 'Somebody who may apply it can schedule it again.';
  if ('gone' in standing)
    return `Whoever scheduled this change request may not apply it any more: ${standing.gone}. ${again}`;
  const scope: ProjectScope = { project, environment: archives ? EVERY : environment };
  return mayDecide(standing.actor, 'APPLY_CHANGE_REQUEST', scope)
    ? undefined
    : `Whoever scheduled this change request has lost the permission to apply it. ${again}`;
}

async function markFailed(client: PostgresClient, request: DueRequest, reason: string): Promise<void> {
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
