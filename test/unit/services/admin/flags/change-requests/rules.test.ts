import { expect } from 'chai';
import fc from 'fast-check';
import type { Actor, UsedToken } from '#base/tokens';
import type { Approval } from '../../../../../../services/admin/flags/change-requests/rules/approvals.ts';
import {
  CHANGE_REQUEST_ACTIONS,
  CHANGE_REQUEST_STATES,
  type ChangeRequestAction,
  type ChangeRequestState,
  type Situation,
  decideStep,
} from '../../../../../../services/admin/flags/change-requests/rules.ts';

const AUTHOR: Actor = { userId: 1, tokenId: undefined, role: 'Editor' };
const OTHER: Actor = { userId: 2, tokenId: undefined, role: 'Editor' };
const ADMIN: Actor = { userId: 3, tokenId: undefined, role: 'Admin' };

function aSituation(members: Partial<Situation> = {}): Situation {
  return {
    state: 'Draft',
    author: AUTHOR,
    version: 1,
    approvals: [],
    minApprovals: 1,
    changes: 1,
    ...members,
  };
}

function approvalBy(actor: Actor, members: Partial<Approval> = {}): Approval {
  return {
    ...actor,
    name: `user ${actor.userId}`,
    version: 1,
    mayApprove: true,
    gone: undefined,
    ...members,
  };
}

const isReviewed = (state: ChangeRequestState) => ['Approved', 'Scheduled'].includes(state);

/** The next state, or the reason why the step is denied. */
function after(situation: Situation, action: ChangeRequestAction, actor: Actor): string | undefined {
  const step = decideStep(situation, action, actor);
  return 'denied' in step ? step.denied : step.next;
}

/** Every allowed pair of state and action. All other pairs must be denied. */
const ALLOWED: Record<string, string | undefined> = {
  'Draft edit': 'Draft',
  'Draft rename': 'Draft',
  'Draft submit': 'In review',
  'Draft cancel': 'Cancelled',
  'Draft discard': undefined,
  'In review edit': 'In review',
  'In review rename': 'In review',
  'In review approve': 'Approved',
  'In review reject': 'Rejected',
  'In review cancel': 'Cancelled',
  'Approved edit': 'In review',
  'Approved rename': 'In review',
  'Approved schedule': 'Scheduled',
  'Approved apply': 'Applied',
  'Approved cancel': 'Cancelled',
  'Scheduled schedule': 'Scheduled',
  'Scheduled apply': 'Applied',
  'Scheduled reject': 'Rejected',
};

describe('decideStep', () => {
  for (const state of CHANGE_REQUEST_STATES) {
    for (const action of CHANGE_REQUEST_ACTIONS.filter((item) => item !== 'comment')) {
      const pair = `${state} ${action}`;
      const expected = pair in ALLOWED ? ALLOWED[pair] : 'not valid';
      const approvals = isReviewed(state) ? [approvalBy(OTHER)] : [];
      it(`turns ${state} into ${expected ?? 'no request'} by ${action}`, () => {
        // An author who is an Admin may do everything that the state allows.
        const author: Actor = { ...AUTHOR, role: 'Admin' };
        expect(after(aSituation({ state, author, approvals }), action, author)).to.equal(expected);
      });
    }
  }

  it('lets anybody comment in every state, without a change of state', () => {
    for (const state of CHANGE_REQUEST_STATES)
      expect(after(aSituation({ state }), 'comment', OTHER)).to.equal(state);
  });

  it('lets only the author edit, submit and discard', () => {
    for (const action of ['edit', 'submit', 'discard'] as const)
      for (const actor of [OTHER, ADMIN])
        expect(after(aSituation(), action, actor)).to.equal('not permitted');
  });

  it('lets the author or an Admin cancel', () => {
    expect(after(aSituation(), 'cancel', OTHER)).to.equal('not permitted');
    expect(after(aSituation(), 'cancel', ADMIN)).to.equal('Cancelled');
  });

  it('lets authors approve or reject their own requests only as Admins', () => {
    const own = aSituation({ state: 'In review' });
    for (const action of ['approve', 'reject'] as const)
      expect(after(own, action, AUTHOR)).to.equal('not permitted');
    expect(after({ ...own, author: ADMIN }, 'approve', ADMIN)).to.equal('Approved');
  });

  it('lets nobody approve or reject by a personal token that somebody else has made', () => {
    const situation = aSituation({ state: 'In review' });
    const by = (token: UsedToken): Actor => ({ ...OTHER, role: 'Admin', token });
    const madeBy = (userId: number) =>
      by({ id: 'one', type: 'personal', createdBy: { userId, tokenId: undefined } });
    for (const action of ['approve', 'reject'] as const) {
      for (const actor of [madeBy(ADMIN.userId), by({ id: 'one', type: 'personal', createdBy: undefined })])
        expect(after(situation, action, actor)).to.equal('not permitted');
      expect(after(situation, action, madeBy(OTHER.userId))).not.to.equal('not permitted');
    }
    expect(after(situation, 'cancel', madeBy(ADMIN.userId))).to.equal('Cancelled');
  });

  it('distinguishes two ADMIN tokens', () => {
    const one: Actor = { userId: -42, tokenId: 'one', role: 'Editor' };
    const two: Actor = { userId: -42, tokenId: 'two', role: 'Editor' };
    const situation = aSituation({ state: 'In review', author: one });
    expect(after(situation, 'approve', one)).to.equal('not permitted');
    expect(after(situation, 'approve', two)).to.equal('Approved');
  });

  it('approves only with enough approvals, each by a different user', () => {
    const situation = aSituation({ state: 'In review', minApprovals: 2 });
    expect(after(situation, 'approve', OTHER)).to.equal('In review');
    const second = { ...situation, approvals: [approvalBy(OTHER)] };
    expect(after(second, 'approve', OTHER)).to.equal('not valid');
    expect(after(second, 'approve', ADMIN)).to.equal('Approved');
  });

  it('withdraws approvals when a submitted request or its title is edited', () => {
    for (const action of ['edit', 'rename'] as const) {
      for (const state of ['In review', 'Approved'] as const)
        expect(decideStep(aSituation({ state }), action, AUTHOR)).to.include({
          next: 'In review',
          areApprovalsWithdrawn: true,
        });
      expect(decideStep(aSituation(), action, AUTHOR)).to.include({ areApprovalsWithdrawn: false });
    }
  });

  it('completes the review by a repeated approval if fewer are required now', () => {
    const situation = aSituation({ state: 'In review', approvals: [approvalBy(OTHER)] });
    expect(after(situation, 'approve', OTHER)).to.equal('Approved');
  });

  it('neither schedules nor applies with too few approvals, and then lets others approve', () => {
    for (const state of ['Approved', 'Scheduled'] as const) {
      const short = aSituation({ state, minApprovals: 2, approvals: [approvalBy(OTHER)] });
      for (const action of ['schedule', 'apply'] as const)
        expect(after(short, action, OTHER)).to.equal('not valid');
      expect(after(short, 'approve', OTHER)).to.equal('not valid');
      expect(after(short, 'approve', ADMIN)).to.equal(state);
    }
  });

  it('does not submit, approve, schedule or apply an empty request', () => {
    expect(after(aSituation({ changes: 0 }), 'submit', AUTHOR)).to.equal('not valid');
    for (const action of ['schedule', 'apply'] as const)
      expect(after(aSituation({ changes: 0, state: 'Approved' }), action, OTHER)).to.equal('not valid');
  });

  it('never leaves a final state, and never reaches Applied without enough approvals', () => {
    const steps = fc.array(
      fc.record({
        action: fc.constantFrom(...CHANGE_REQUEST_ACTIONS),
        actor: fc.constantFrom(AUTHOR, OTHER, ADMIN),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 2 }), (actions, minApprovals) => {
        let situation = aSituation({ minApprovals });
        for (const { action, actor } of actions) {
          const step = decideStep(situation, action, actor);
          if ('denied' in step) continue;
          if (step.next === undefined) return;
          const isFinal = ['Applied', 'Cancelled', 'Rejected'].includes(situation.state);
          if (isFinal) expect(step.next).to.equal(situation.state);
          const kept = step.areApprovalsWithdrawn ? [] : situation.approvals;
          const others = kept.filter(({ userId }) => userId !== actor.userId);
          const approvals = action === 'approve' ? [...others, approvalBy(actor)] : kept;
          situation = { ...situation, state: step.next, approvals };
          if (step.next === 'Applied') expect(approvals.length).to.be.at.least(minApprovals);
        }
      }),
    );
  });
});
