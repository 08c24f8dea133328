import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { Denial, notValid, outdated } from '../../../denial.ts';
import type { VersionCheck } from '../../../version-check.ts';
import { type ChangeRequestAction, type ChangeRequestState, decideStep, isEdit } from '../rules.ts';
import type { ChangeRequest } from '../schema.ts';
import { withdrawApprovals } from './approvals.ts';
import { type LockedRequest, isVisible, lockChangeRequest } from './lock.ts';
import { findChangeRequest, noSuchRequest } from './rows.ts';

export type StepRequest = {
  readonly project: string;
  readonly id: number;
  readonly caller: Caller;
  readonly isCurrent: VersionCheck;
  readonly action: ChangeRequestAction;
};

export type StepWork = (client: PostgresClient, request: LockedRequest) => Promise<void>;

/**
 * Performs one step of a change request in one transaction: locks the request, asks the rules, runs `work`, and writes the new
 * state and the events. The lock runs concurrent steps one after the other, so that each sees the result of the one before. Returns
 * the request; undefined if it was discarded.
 */
export async function stepChangeRequest(
  db: Postgres,
  { project, id, caller, isCurrent, action }: StepRequest,
  work: StepWork = () => Promise.resolve(),
): Promise<ChangeRequest | undefined> {
  return inTransaction(db, async (client) => {
    const locked = await lockChangeRequest(client, id);
    if (locked?.project !== project || !isVisible(locked, caller)) throw noSuchRequest();
    if (!isCurrent(locked.version)) throw outdated('the change request');
    const next = await advance(client, locked, { caller, action, work });
    return next && findChangeRequest(client, id, { project, caller });
  });
}

type Advance = {
  readonly caller: Caller;
  readonly action: ChangeRequestAction;
  readonly work: StepWork;
};

/** Returns the new state, undefined if the request was discarded; throws a Denial if the rules deny the step. */
export async function advance(
  client: PostgresClient,
  request: LockedRequest,
  { caller, action, work }: Advance,
): Promise<ChangeRequestState | undefined> {
  const { id, project, environment, situation } = request;
  const step = decideStep(situation, action, caller);
  if ('denied' in step) throw new Denial(step.denied, step.message);
  if (action === 'schedule') await requireActiveFeatures(client, request);
  const version = isEdit(action) ? await makeVersion(client, id) : request.version;
  const stepped = { ...request, version };
  await work(client, stepped);
  if (isEdit(action))
    await client.query('update change_requests set min_approvals = approvals_required(id) where id = $1', [
      id,
    ]);
  if (step.areApprovalsWithdrawn) await withdrawApprovals(client, stepped, caller);
  if (step.next === undefined) await client.query('delete from change_requests where id = $1', [id]);
  else if (step.next !== situation.state || action === 'schedule') await writeState(client, id, step.next);
  for (const type of step.events) {
    const data = { id, state: step.next ?? situation.state, version };
    await recordEvent(client, { type, caller, project, environment, data, changeRequestId: id });
  }
  return step.next;
}

/** A schedule that is suspended because a feature was archived stays so until the feature is revived. */
async function requireActiveFeatures(
  client: PostgresClient,
  { id, project }: Pick<LockedRequest, 'id' | 'project'>,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select f.name
     from change_request_events as e
     join features as f on f.name = e.feature
     where e.change_request_id = $1
       and f.project = $2
       and f.archived_at is not null
     order by f.name
     limit 1`,
    [id, project],
  );
  if (rows[0] !== undefined)
    throw notValid(
      `The feature ${rows[0].name} is archived: revive it before you schedule this change request.`,
    );
}

async function writeState(client: PostgresClient, id: number, state: ChangeRequestState): Promise<void> {
  await client.query(
    `update change_requests
     set state = $2::text, state_timestamps = state_timestamps || jsonb_build_object($2::text, $3::text)
     where id = $1`,
    [id, state, new Date().toISOString()],
  );
}

/** Every edit makes a version, also of a draft. */
async function makeVersion(client: PostgresClient, id: number): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'update change_requests set version = version + 1 where id = $1 returning version',
    [id],
  );
  return rows[0]?.version ?? 0;
}
