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
};
export type Actor = Person & { readonly rootRole: string };

const STEPS: Readonly<Record<State, readonly Step[]>> = {
  Draft: ['submit', 'discard'],
  'In review': ['approve', 'reject', 'cancel'],
  Approved: ['apply', 'schedule', 'cancel'],
  Scheduled: ['apply', 'schedule', 'reject'],
  Applied: [],
  Rejected: [],
  Cancelled: [],
};

/** The steps that the server would accept of a caller who may edit change requests. */
export function stepsOf(request: Situation, actor: Actor): readonly Step[] {
  return STEPS[request.state].filter((step) => mayStep(step, request, actor));
}

function mayStep(step: Step, { createdBy, approvals = [] }: Situation, actor: Actor): boolean {
  const isAdmin = actor.rootRole === 'Admin';
  const isAuthor = createdBy.id === actor.id;
  if (step === 'cancel') return isAuthor || isAdmin;
  if (step === 'reject') return !isAuthor || isAdmin;
  if (step !== 'approve') return true;
  // All ADMIN tokens have the same negative id, and each may approve once.
  const hasApproved = actor.id > 0 && approvals.some((vote) => vote.createdBy.id === actor.id);
  return (!isAuthor || isAdmin) && !hasApproved;
}
