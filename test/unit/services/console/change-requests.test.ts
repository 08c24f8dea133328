import { expect } from 'chai';
import {
  type Actor,
  type State,
  mayTake,
  scopeIn,
  scopeOf,
  stepsOf,
} from '../../../../services/console/state/change-request-steps.ts';
import { mayIn } from '../../../../services/console/state/may.ts';
import {
  differenceOf,
  linesOf,
} from '../../../../services/console/pages/flags/change-requests/difference.ts';

const AUTHOR = { id: 1, rootRole: 'Editor' };
const OTHER = { id: 2, rootRole: 'Editor' };
const TOKEN = { id: -42, rootRole: 'Admin' };

describe('the steps of a change request', () => {
  const steps = (state: State, actor: Actor, approvedBy: readonly Actor[] = []) =>
    stepsOf({ state, createdBy: AUTHOR, approvals: approvedBy.map((createdBy) => ({ createdBy })) }, actor);

  for (const [who, state, actor, expected] of [
    ['an author may only cancel', 'In review', AUTHOR, ['cancel']],
    ['others decide', 'In review', OTHER, ['approve', 'reject']],
    ['an Admin may do everything', 'In review', TOKEN, ['approve', 'reject', 'cancel']],
    ['anybody applies or schedules', 'Approved', OTHER, ['apply', 'schedule']],
    ['others still reject', 'Scheduled', OTHER, ['apply', 'schedule', 'reject']],
    ['nobody changes the past', 'Applied', TOKEN, []],
  ] as const)
    it(`${state}: ${who}`, () => {
      expect(steps(state, actor)).to.deep.equal(expected);
    });

  it('others complete the approvals of a reviewed request before it can be applied', () => {
    for (const state of ['Approved', 'Scheduled'] as const) {
      const short = { state, createdBy: AUTHOR, approvals: [], missingApprovals: 'needs 1' };
      expect(stepsOf(short, OTHER))
        .to.include('approve')
        .and.not.include('apply')
        .and.not.include('schedule');
      expect(stepsOf({ ...short, missingApprovals: undefined }, OTHER)).not.to.include('approve');
    }
  });

  it('who may approve in one environment approves no request that archives', () => {
    const of = { project: 'shop', environment: 'development' };
    const [enable, archive] = ['updateEnabled', 'archiveFeature'].map((action) =>
      scopeOf({ ...of, features: [{ changes: [{ action }] }] }),
    );
    expect([enable, archive]).to.deep.equal([
      scopeIn({ ...of, archivesFeatures: false }),
      scopeIn({ ...of, archivesFeatures: true }),
    ]);
    const granted = (['EDIT_CHANGE_REQUEST', 'APPROVE_CHANGE_REQUEST'] as const).map((permission) => ({
      permission,
      project: 'shop',
      environments: permission === 'EDIT_CHANGE_REQUEST' ? [] : ['development'],
    }));
    const allowed = [enable, archive].map(
      (place) => place && mayTake('approve', place, (permission, where) => mayIn(granted, permission, where)),
    );
    expect(allowed).to.deep.equal([true, false]);
  });

  it('a user approves once, and each ADMIN token once', () => {
    expect(steps('In review', OTHER, [OTHER])).to.deep.equal(['reject']);
    expect(steps('In review', TOKEN, [TOKEN])).to.include('approve');
  });
});

describe('the lines of a change', () => {
  it('name the change and its content, and are none for a change that does not exist', () => {
    expect(linesOf({ action: 'updateEnabled', payload: { enabled: true } })).to.deep.equal(['Turn on', 'on']);
    expect(linesOf(undefined)).to.deep.equal([]);
  });
});

describe('the difference of a change', () => {
  const strategy = {
    id: 'one',
    name: 'flexibleRollout',
    title: null,
    disabled: false,
    sortOrder: 0,
    parameters: { rollout: '25', stickiness: 'userId' },
    constraints: [],
    variants: [],
    segments: [],
  };
  const now = { isOn: true, isArchived: false, strategies: [strategy] };

  it('compares a strategy with the one of the same id', () => {
    const payload = { id: 'one', name: 'flexibleRollout', parameters: { rollout: '50' } };
    const { before, after } = differenceOf({ action: 'updateStrategy', payload }, now);
    expect(before).to.deep.equal(['flexibleRollout', '25 % by userId']);
    expect(after).to.deep.equal(['flexibleRollout', '50 %']);
  });

  it('leaves the side empty that does not exist', () => {
    const removed = differenceOf({ action: 'deleteStrategy', payload: { id: 'one' } }, now);
    expect([removed.before.length, removed.after]).to.deep.equal([2, []]);
    const unknown = { isOn: undefined, isArchived: undefined, strategies: undefined };
    expect(differenceOf({ action: 'archiveFeature' }, unknown).before).to.deep.equal([]);
  });

  it('shows an action that it does not know as it is', () => {
    const found = differenceOf({ action: 'startMilestone', payload: { milestone: 3 } }, now);
    expect(found).to.deep.equal({ title: 'Start milestone', before: [], after: ['{"milestone":3}'] });
  });
});
