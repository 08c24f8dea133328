import { type Actor, type ProjectScope, mayIn } from '#base/tokens';

type Rights = Pick<Actor, 'role' | 'grants'>;

/**
 * Whether somebody may approve or apply a change request of a project and environment, as changeChangeRequestState asks it. A vote and a
 * schedule ask the same later, because a permission that is needed to decide is needed as long as the decision counts.
 */
export function mayDecide(
  actor: Rights,
  decision: 'APPROVE_CHANGE_REQUEST' | 'APPLY_CHANGE_REQUEST',
  scope: ProjectScope,
): boolean {
  return mayIn(actor, 'EDIT_CHANGE_REQUEST', { project: scope.project }) && mayIn(actor, decision, scope);
}
