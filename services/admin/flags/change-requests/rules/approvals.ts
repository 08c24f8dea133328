/**
 * Which approvals of a change request count. Each use asks again, because people leave and roles change after an approval.
 */
import { type Identity, type Role, isSameActor } from '#base/tokens';
import { list, say } from '#base/words';

/** Who voted, and whether this user or token still exists. */
export type Approval = Identity & {
  readonly name: string;
  /** The root role of the voter now. */
  readonly role: Role;
  /** Whether the voter may approve in this environment now. */
  readonly mayApprove: boolean;
  /** The version that was approved. */
  readonly version: number;
  /** Why the voter cannot sign in any more; undefined if the voter can. */
  readonly gone: 'deleted user' | 'revoked token' | 'expired token' | undefined;
};

/** What approvals are compared with. */
export type Approved = {
  readonly version: number;
  readonly author: Identity;
  readonly approvals: readonly Approval[];
  /** The number of approvals that the environment requires now. */
  readonly minApprovals: number;
};

const GONE = {
  'deleted user': 'the user was deleted',
  'revoked token': 'the token was revoked',
  'expired token': 'the token has expired',
} as const;

export function countingApprovals(of: Approved): Approval[] {
  return of.approvals.filter((approval) => objectionTo(approval, of) === undefined);
}

/** Says which approvals are missing, and why existing ones do not count; undefined if there are enough. */
export function missingApprovals(of: Approved): string | undefined {
  const { length } = countingApprovals(of);
  if (length >= of.minApprovals) return undefined;
  const objections = of.approvals.flatMap((approval) => {
    const objection = objectionTo(approval, of);
    return objection === undefined
      ? []
      : say`the approval of ${approval.name} no longer counts because ${objection}`;
  });
  const approvals = of.minApprovals === 1 ? 'approval' : 'approvals';
  const needed = `This change request needs ${of.minApprovals} ${approvals} by people who may approve; has ${length}`;
  return `${needed}${objections.length === 0 ? '' : `: ${list(objections)}`}.`;
}

function objectionTo(approval: Approval, { version, author }: Approved): string | undefined {
  if (approval.version !== version) return 'the change request was edited since';
  if (approval.gone !== undefined) return GONE[approval.gone];
  if (!approval.mayApprove) return 'this user may not approve in this environment any more';
  if (isSameActor(approval, author) && approval.role !== 'Admin')
    return 'authors may not approve their own requests, unless they are Admins';
  return undefined;
}
