import type { Permission } from '../types.ts';
import { EVERY, type ProjectScope } from './may.ts';

export const STATES = [
  'Draft',
  'In review',
  'Approved',
  'Scheduled',
  'Applied',
  'Rejected',
  'Cancelled',
] as const;

export type State = (typeof STATES)[number];
export type Step = 'submit' | 'approve' | 'reject' | 'apply' | 'schedule' | 'cancel' | 'discard';

type Person = { readonly id: number };
type Situation = {
  readonly state: State;
  readonly createdBy: Person;
  /** Absent in a list. */
  readonly approvals?: readonly { readonly createdBy: Person }[] | undefined;
  /** What the server says about missing approvals; absent if there are enough, and in a list. */
  readonly missingApprovals?: string | undefined;
};
export type Actor = Person & {
  readonly rootRole: string;
  /** Whether somebody else made the token of the reader, so that it may not approve and reject. */
  readonly isForeign?: boolean;
};

const STEPS: Readonly<Record<State, readonly Step[]>> = {
  Draft: ['submit', 'discard'],
  'In review': ['approve', 'reject', 'cancel'],
  Approved: ['approve', 'apply', 'schedule', 'cancel'],
  Scheduled: ['approve', 'apply', 'schedule', 'reject'],
  Applied: [],
  Rejected: [],
  Cancelled: [],
};

/** What a step needs in the environments that the request changes, beside EDIT_CHANGE_REQUEST in the project. */
const NEEDS: Readonly<Partial<Record<Step, Permission>>> = {
  approve: 'APPROVE_CHANGE_REQUEST',
  reject: 'APPROVE_CHANGE_REQUEST',
  apply: 'APPLY_CHANGE_REQUEST',
  schedule: 'APPLY_CHANGE_REQUEST',
};

type Changed = { readonly project: string; readonly environment: string };
type Features = readonly { readonly changes: readonly { readonly action: string }[] }[];

/** Where a request changes something. */
export function scopeOf({ features, ...request }: Changed & { readonly features: Features }): ProjectScope {
  const actions = features.flatMap(({ changes }) => changes.map(({ action }) => action));
  return scopeIn({ ...request, archivesFeatures: actions.includes('archiveFeature') });
}

/** The same of an item of a list. Features are archived in every environment. */
export function scopeIn({
  project,
  environment,
  archivesFeatures,
}: Changed & { readonly archivesFeatures: boolean }): ProjectScope {
  return { project, environment: archivesFeatures ? EVERY : environment };
}

/** Whether the permissions of the caller allow the step. */
export function mayTake(
  step: Step,
  { project, environment }: ProjectScope,
  may: (permission: Permission, scope: ProjectScope) => boolean,
): boolean {
  const need = NEEDS[step];
  return (
    may('EDIT_CHANGE_REQUEST', { project }) && (need === undefined || may(need, { project, environment }))
  );
}

/** The steps that the server would accept of a caller who may edit change requests. */
export function stepsOf(request: Situation, actor: Actor): readonly Step[] {
  const isShort = request.missingApprovals !== undefined;
  const isReviewed = request.state === 'Approved' || request.state === 'Scheduled';
  return STEPS[request.state].filter(
    (step) => mayStep(step, request, actor) && (!isReviewed || isPossible(step, isShort)),
  );
}

/** A request that was approved needs more approvals if some no longer count, or if more are required now. */
function isPossible(step: Step, isShort: boolean): boolean {
  if (step === 'approve') return isShort;
  return !isShort || (step !== 'apply' && step !== 'schedule');
}

function mayStep(step: Step, { createdBy, approvals = [] }: Situation, actor: Actor): boolean {
  if ((step === 'approve' || step === 'reject') && actor.isForeign === true) return false;
  const isAdmin = actor.rootRole === 'Admin';
  const isAuthor = createdBy.id === actor.id;
  if (step === 'cancel') return isAuthor || isAdmin;
  if (step === 'reject') return !isAuthor || isAdmin;
  if (step !== 'approve') return true;
  // All ADMIN tokens have the same negative id, and each may approve once.
  const hasApproved = actor.id > 0 && approvals.some((vote) => vote.createdBy.id === actor.id);
  return (!isAuthor || isAdmin) && !hasApproved;
}
