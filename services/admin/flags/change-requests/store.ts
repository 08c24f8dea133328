import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { type Caller, personalTokenOf } from '#base/tokens';
import { notValid } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import type { VersionCheck } from '../../version-check.ts';
import type { ChangeUpdate, NewChanges, StateChange } from './body-schemas.ts';
import type { ChangeRequestAction } from './rules.ts';
import { applyChanges } from './store/applying/apply.ts';
import { addApproval, addRejection } from './store/approvals.ts';
import { findDifferences } from './store/differences.ts';
import { addChanges, editChange, recordChanges, removeChange, writeTitle } from './store/edits.ts';
import { listChangeRequests } from './store/list.ts';
import { type DraftKey, checkKey } from './store/open-request.ts';
import { type Seen, findChangeRequest } from './store/rows.ts';
import { type StepWork, stepChangeRequest } from './store/steps.ts';

/** A change request as the path names it, and the caller. */
export type Addressed = {
  readonly project: string;
  readonly id: number;
  readonly caller: Caller;
  /** Whether the caller accepts this version. */
  readonly isCurrent: VersionCheck;
};

export type ChangeRequests = ReturnType<typeof createChangeRequests>;

export function createChangeRequests({ db, lists }: AdminPools) {
  const step = (addressed: Addressed, action: ChangeRequestAction, work?: StepWork) =>
    stepChangeRequest(db, { ...addressed, action }, work);
  return {
    find: (id: number, seen: Seen) => findChangeRequest(db, id, seen),
    list: (seen: Seen) => listChangeRequests(lists, seen),
    findDifferences: (id: number, since: number, seen: Seen) => findDifferences(db, { id, since }, seen),
    addChanges: (key: DraftKey, changes: NewChanges) => addChanges(db, key, changes),

    editChange: (addressed: Addressed, changeId: number, update: ChangeUpdate) =>
      step(addressed, 'edit', (client, request) =>
        editChange(client, changeId, { update, request, caller: addressed.caller }),
      ),
    removeChange: (addressed: Addressed, changeId: number) =>
      step(addressed, 'edit', (client, request) =>
        removeChange(client, changeId, { request, caller: addressed.caller }),
      ),
    rename: (addressed: Addressed, title: string) =>
      step(addressed, 'rename', (client, request) => writeTitle(client, request, title)),
    comment: (addressed: Addressed, text: string) =>
      step(addressed, 'comment', (client, { id }) => addComment(client, id, { text, ...addressed })),
    discard: (addressed: Addressed) => step(addressed, 'discard'),

    /** Changes the state, and adds the comment if there is one. */
    changeState: (addressed: Addressed, change: StateChange) =>
      step(addressed, ACTIONS[change.state], async (client, request) => {
        if (change.comment !== undefined)
          await addComment(client, request.id, { text: change.comment, ...addressed });
        await WORK[change.state]?.(client, { ...addressed, ...change }, request);
      }),

    setRequiredApprovals: (key: DraftKey, requiredApprovals: number) =>
      setRequiredApprovals(db, key, requiredApprovals),
  };
}

const ACTIONS = {
  'In review': 'submit',
  Approved: 'approve',
  Rejected: 'reject',
  Cancelled: 'cancel',
  Scheduled: 'schedule',
  Applied: 'apply',
} as const satisfies Record<StateChange['state'], ChangeRequestAction>;

type StateWork = (
  client: PostgresClient,
  change: Addressed & StateChange,
  request: Parameters<StepWork>[1],
) => Promise<void>;

/** Work in addition to the new state. */
const WORK: Partial<Record<StateChange['state'], StateWork>> = {
  'In review': (client, { caller }, request) => recordChanges(client, { request, caller }),
  Approved: (client, { caller }, request) => addApproval(client, request, caller),
  async Rejected(client, { id, caller }) {
    await addRejection(client, { id, caller });
    await client.query('delete from change_request_schedule where change_request = $1', [id]);
  },
  async Scheduled(client, { id, caller, scheduledAt }, { version }) {
    await client.query(
      `insert into change_request_schedule (
         change_request, scheduled_at, version, created_by, created_by_token, personal_token
       )
       values ($1, $2, $3, $4, $5, $6)
       on conflict (change_request) do update
       set scheduled_at = excluded.scheduled_at,
           version = excluded.version,
           created_by = excluded.created_by,
           created_by_token = excluded.created_by_token,
           personal_token = excluded.personal_token,
           status = 'pending',
           reason = null`,
      [id, scheduledAt, version, caller.userId, caller.tokenId, personalTokenOf(caller)],
    );
  },
  Applied: (client, { caller }, request) => applyChanges(client, request, caller),
};

/** Bounded, because every reader of a request gets all of its comments. */
const MAX_COMMENTS = 200;

async function addComment(
  client: PostgresClient,
  id: number,
  { text, caller }: { readonly text: string; readonly caller: Caller },
): Promise<void> {
  const { rowCount } = await client.query(
    `insert into change_request_comments (change_request_id, text, created_by, created_by_token)
     select $1, $2, $3, $4
     where (select count(*) from change_request_comments where change_request_id = $1) < $5`,
    [id, text, caller.userId, caller.tokenId, MAX_COMMENTS],
  );
  if (rowCount === 0) throw notValid(`A change request holds at most ${MAX_COMMENTS} comments.`);
}

/**
 * The number applies at once, also to requests that are approved or scheduled. 0 requires no approvals, so that features may be
 * archived and revived without a change request.
 */
function setRequiredApprovals(
  db: Postgres,
  { project, environment, caller }: DraftKey,
  requiredApprovals: number,
): Promise<void> {
  return inTransaction(db, async (client) => {
    await checkKey(client, { project, environment, caller });
    await writeRequiredApprovals(client, { project, environment }, requiredApprovals);
    await recordEvent(client, {
      type: 'change-request-configuration-updated',
      caller,
      project,
      environment,
      data: { requiredApprovals },
    });
  });
}

async function writeRequiredApprovals(
  client: PostgresClient,
  { project, environment }: Omit<DraftKey, 'caller'>,
  requiredApprovals: number,
): Promise<void> {
  if (requiredApprovals === 0) {
    await client.query('delete from change_request_settings where project = $1 and environment = $2', [
      project,
      environment,
    ]);
    return;
  }
  await client.query(
    `insert into change_request_settings (project, environment, required_approvals)
     values ($1, $2, $3)
     on conflict (project, environment) do update
     set required_approvals = excluded.required_approvals`,
    [project, environment, requiredApprovals],
  );
}
