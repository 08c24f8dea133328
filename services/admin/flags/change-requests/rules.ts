/**
 * The states of a change request and the actions that change them:
 *
 *   Draft      --submit--> In review      --cancel--> Cancelled     --discard--> (gone)
 *   In review  --approve, enough of them--> Approved   --reject--> Rejected   --cancel--> Cancelled
 *   Approved   --apply--> Applied    --schedule--> Scheduled   --cancel--> Cancelled   --edit, rename--> In review
 *   Scheduled  --apply--> Applied    --schedule--> Scheduled   --reject--> Rejected
 *   Applied, Cancelled and Rejected are final.
 *
 * An edit or another title makes a new version of a request, and withdraws its approvals. If approvals no longer count, others
 * may approve an approved or scheduled request, because it cannot be scheduled or applied with too few. Only the author may edit,
 * submit, discard, rename and cancel a request; an Admin may also rename and cancel it. Authors may not approve or reject their
 * own requests, unless they are Admins. No one may approve or reject by a personal token that somebody else has made.
 */
import type { EventType } from '../../record/events/types-schema.ts';
import { type Actor, hasForeignToken, isSameActor } from '#base/tokens';
import { type Approved, countingApprovals, missingApprovals } from './rules/approvals.ts';

export const UNSCHEDULED_STATES = [
  'Draft',
  'In review',
  'Approved',
  'Applied',
  'Cancelled',
  'Rejected',
] as const;

export const CHANGE_REQUEST_STATES = [...UNSCHEDULED_STATES, 'Scheduled'] as const;

export type ChangeRequestState = (typeof CHANGE_REQUEST_STATES)[number];

export const CHANGE_REQUEST_ACTIONS = [
  'edit',
  'rename',
  'comment',
  'submit',
  'approve',
  'reject',
  'cancel',
  'discard',
  'schedule',
  'apply',
] as const;

export type ChangeRequestAction = (typeof CHANGE_REQUEST_ACTIONS)[number];

/** The properties of a change request that decide about its next step. */
export type Situation = Approved & {
  readonly state: ChangeRequestState;
  /** The number of its changes. */
  readonly changes: number;
};

export type Step =
  | {
      /** Undefined after `discard`. */
      readonly next: ChangeRequestState | undefined;
      readonly areApprovalsWithdrawn: boolean;
      /** The types of the events to write, in order. */
      readonly events: readonly EventType[];
    }
  | { readonly denied: 'not permitted' | 'not valid'; readonly message: string };

type Rule = {
  readonly from: readonly ChangeRequestState[];
  readonly by: 'author' | 'author or admin' | 'others or admin' | 'anybody';
  readonly to: ChangeRequestState | 'same' | 'gone';
  /** The event that records the action. Undefined for adding, editing and removing changes, which have their own events. */
  readonly event: EventType | undefined;
};

const RULES: Readonly<Record<ChangeRequestAction, Rule>> = {
  edit: { from: ['Draft', 'In review', 'Approved'], by: 'author', to: 'same', event: undefined },
  rename: {
    from: ['Draft', 'In review', 'Approved'],
    by: 'author or admin',
    to: 'same',
    event: 'change-edited',
  },
  comment: { from: CHANGE_REQUEST_STATES, by: 'anybody', to: 'same', event: 'change-request-comment-added' },
  submit: { from: ['Draft'], by: 'author', to: 'In review', event: 'change-request-sent-to-review' },
  approve: { from: ['In review'], by: 'others or admin', to: 'Approved', event: 'change-request-approved' },
  reject: {
    from: ['In review', 'Scheduled'],
    by: 'others or admin',
    to: 'Rejected',
    event: 'change-request-rejected',
  },
  cancel: {
    from: ['Draft', 'In review', 'Approved'],
    by: 'author or admin',
    to: 'Cancelled',
    event: 'change-request-cancelled',
  },
  discard: { from: ['Draft'], by: 'author', to: 'gone', event: 'change-request-discarded' },
  schedule: {
    from: ['Approved', 'Scheduled'],
    by: 'anybody',
    to: 'Scheduled',
    event: 'change-request-scheduled',
  },
  apply: { from: ['Approved', 'Scheduled'], by: 'anybody', to: 'Applied', event: 'change-request-applied' },
};

/** Returns the result of an action on a change request, or the reason why it is denied. */
export function decideStep(situation: Situation, action: ChangeRequestAction, actor: Actor): Step {
  const rule = RULES[action];
  const problem = problemOf(situation, action, actor);
  if (problem !== undefined) return problem;
  const events = rule.event === undefined ? [] : [rule.event];
  if (action === 'approve') return approve(situation, actor);
  if (isEdit(action)) return { ...edit(situation), events };
  const next = rule.to === 'same' ? situation.state : rule.to === 'gone' ? undefined : rule.to;
  return { next, areApprovalsWithdrawn: false, events };
}

function problemOf(situation: Situation, action: ChangeRequestAction, actor: Actor): Step | undefined {
  const { from, by } = RULES[action];
  if ((action === 'approve' || action === 'reject') && hasForeignToken(actor))
    return {
      denied: 'not permitted',
      message: `Somebody else made this personal token, so it may not ${action}. Replace it with your own: POST /api/admin/user/tokens/take-over.`,
    };
  if (!isAllowed(by, isSameActor(situation.author, actor), actor.role === 'Admin')) {
    return { denied: 'not permitted', message: `${WHO[by]} may ${action} this change request.` };
  }
  const missing = missingApprovals(situation);
  const isShort = missing !== undefined && ['Approved', 'Scheduled'].includes(situation.state);
  if (!from.includes(situation.state) && !(action === 'approve' && isShort)) {
    return {
      denied: 'not valid',
      message: `You cannot ${action} a change request in the state ${situation.state}.`,
    };
  }
  if (NEEDS_CHANGES.includes(action) && situation.changes === 0)
    return {
      denied: 'not valid',
      message: `You cannot ${action} a change request without changes.`,
    };
  // If the environment requires fewer approvals than before, anybody may approve again to complete the review.
  if (action === 'approve' && missing !== undefined && hasApproved(situation, actor))
    return { denied: 'not valid', message: 'You have already approved this change request.' };
  if ((action === 'schedule' || action === 'apply') && missing !== undefined)
    return { denied: 'not valid', message: missing };
  return undefined;
}

/** Whether the action changes what a reviewer reads. */
export function isEdit(action: ChangeRequestAction): boolean {
  return action === 'edit' || action === 'rename';
}

function hasApproved(situation: Situation, actor: Actor): boolean {
  return countingApprovals(situation).some((approval) => isSameActor(approval, actor));
}

const NEEDS_CHANGES: readonly ChangeRequestAction[] = ['submit', 'approve', 'schedule', 'apply'];

const WHO = {
  author: 'Only the author',
  'author or admin': 'Only the author or an Admin',
  'others or admin': 'Only an Admin, or somebody other than the author,',
  anybody: 'Anybody',
} as const;

function isAllowed(by: Rule['by'], isAuthor: boolean, isAdmin: boolean): boolean {
  if (by === 'author') return isAuthor;
  if (by === 'author or admin') return isAuthor || isAdmin;
  if (by === 'others or admin') return !isAuthor || isAdmin;
  return true;
}

function approve(situation: Situation, actor: Actor): Step {
  const { state, minApprovals } = situation;
  const others = countingApprovals(situation).filter((approval) => !isSameActor(approval, actor));
  const isComplete = state === 'In review' && others.length + 1 >= minApprovals;
  const added = 'change-request-approval-added';
  return {
    next: isComplete ? 'Approved' : state,
    areApprovalsWithdrawn: false,
    events: isComplete ? [added, 'change-request-approved'] : [added],
  };
}

function edit({ state }: Situation) {
  const isDraft = state === 'Draft';
  return { next: isDraft ? state : 'In review', areApprovalsWithdrawn: !isDraft } as const;
}
