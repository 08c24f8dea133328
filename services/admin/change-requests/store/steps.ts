import { type Postgres, type PostgresClient, inTransaction } from '#postgres';
import type { Caller } from '#tokens';
import { recordEvent } from '../../events/store/record-event.ts';
import { type ChangeRequestAction, type ChangeRequestState, type Situation, decideStep } from '../rules.ts';
import type { ChangeRequest } from '../schema.ts';
import { findChangeRequest } from './rows.ts';

/** A change request that is locked until its transaction ends. */
export type LockedRequest = {
  readonly id: number;
  readonly project: string;
  readonly environment: string;
  readonly situation: Situation;
};

export type StepDenied = {
  readonly denied: 'forbidden' | 'impossible' | 'missing' | 'owned by Unleash';
  readonly message: string;
};

/** Thrown within a step to roll everything back; `returnDenied` turns it into a result. */
export class StepDeniedError extends Error {
  readonly result: StepDenied;

  constructor(denied: StepDenied['denied'], message: string) {
    super(message);
    this.result = { denied, message };
  }
}

export type StepRequest = {
  readonly project: string;
  readonly id: number;
  readonly caller: Caller;
  readonly action: ChangeRequestAction;
};

export type StepWork = (client: PostgresClient, request: LockedRequest) => Promise<void>;

export type StepResult = { readonly request: ChangeRequest } | 'discarded' | 'unknown' | StepDenied;

/**
 * Performs one step of a change request in one transaction: locks the request, asks the rules, runs `work`, and writes the new
 * state and the events. The lock runs concurrent steps one after the other, so that each sees the result of the one before.
 */
export async function stepChangeRequest(
  db: Postgres,
  { project, id, caller, action }: StepRequest,
  work: StepWork = () => Promise.resolve(),
): Promise<StepResult> {
  return returnDenied(() =>
    inTransaction(db, async (client) => {
      const locked = await lockChangeRequest(client, id);
      if (locked?.project !== project || !isVisible(locked, caller)) return 'unknown';
      const next = await advance(client, locked, { caller, action, work });
      if (next === undefined) return 'discarded';
      const request = await findChangeRequest(client, id, { project, caller });
      return request === undefined ? 'unknown' : { request };
    }),
  );
}

/** Returns the result of the work, or the reason for its denial. */
export async function returnDenied<T>(work: () => Promise<T>): Promise<T | StepDenied> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StepDeniedError) return error.result;
    throw error;
  }
}

export async function lockChangeRequest(
  client: PostgresClient,
  id: number,
): Promise<LockedRequest | undefined> {
  const { rows } = await client.query<RequestRow>(
    `select id, project, environment, state, min_approvals, created_by, created_by_token
     from change_requests
     where id = $1
     for update`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? undefined : { ...row, situation: await readSituation(client, row) };
}

type RequestRow = {
  id: number;
  project: string;
  environment: string;
  state: ChangeRequestState;
  min_approvals: number;
  created_by: number;
  created_by_token: string | null;
};

async function readSituation(client: PostgresClient, row: RequestRow): Promise<Situation> {
  const approvals = await client.query<{ created_by: number; created_by_token: string | null }>(
    `select created_by, created_by_token
     from change_request_approvals
     where change_request_id = $1`,
    [row.id],
  );
  const changes = await client.query<{ count: number }>(
    `select count(*)::int as count
     from change_request_events
     where change_request_id = $1`,
    [row.id],
  );
  return {
    state: row.state,
    author: toAuthor(row),
    approvers: approvals.rows.map(toAuthor),
    minApprovals: row.min_approvals,
    changes: changes.rows[0]?.count ?? 0,
  };
}

function toAuthor(row: { created_by: number; created_by_token: string | null }): Situation['author'] {
  return { userId: row.created_by, tokenId: row.created_by_token ?? undefined };
}

function isVisible({ situation: { state, author } }: LockedRequest, caller: Caller): boolean {
  return state !== 'Draft' || (author.userId === caller.userId && author.tokenId === caller.tokenId);
}

type Advance = {
  readonly caller: Caller;
  readonly action: ChangeRequestAction;
  readonly work: StepWork;
};

/** Returns the new state, undefined if the request was discarded; throws StepDeniedError if the rules deny the step. */
export async function advance(
  client: PostgresClient,
  request: LockedRequest,
  { caller, action, work }: Advance,
): Promise<ChangeRequestState | undefined> {
  const { id, project, environment, situation } = request;
  const step = decideStep(situation, action, caller);
  if ('denied' in step) throw new StepDeniedError(step.denied, step.message);
  await work(client, request);
  if (action === 'submit' || action === 'edit') await writeMinApprovals(client, id);
  if (step.areApprovalsRevoked)
    await client.query('delete from change_request_approvals where change_request_id = $1', [id]);
  if (step.next === undefined) await client.query('delete from change_requests where id = $1', [id]);
  else if (step.next !== situation.state || action === 'schedule') await writeState(client, id, step.next);
  for (const type of step.events) {
    const data = { id, state: step.next ?? situation.state };
    await recordEvent(client, { type, caller, project, environment, data, changeRequestId: id });
  }
  return step.next;
}

async function writeState(client: PostgresClient, id: number, state: ChangeRequestState): Promise<void> {
  await client.query(
    `update change_requests
     set state = $2::text, state_timestamps = state_timestamps || jsonb_build_object($2::text, $3::text)
     where id = $1`,
    [id, state, new Date().toISOString()],
  );
}

/**
 * Copies the approvals that the environment requires at this moment. Archiving affects every environment: for a request that
 * archives, the highest number of any environment applies.
 */
async function writeMinApprovals(client: PostgresClient, id: number): Promise<void> {
  await client.query(
    `update change_requests as r
     set min_approvals = coalesce(
       (
         select max(s.required_approvals)
         from change_request_settings as s
         where s.project = r.project
           and (
             s.environment = r.environment
             or exists (
               select
               from change_request_events as c
               where c.change_request_id = r.id
                 and c.action = 'archiveFeature'
             )
           )
       ),
       1
     )
     where r.id = $1`,
    [id],
  );
}
