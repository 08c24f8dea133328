import { expect } from 'chai';
import {
  type Approval,
  type Approved,
  countingApprovals,
  missingApprovals,
} from '../../../../../../../services/admin/flags/change-requests/rules/approvals.ts';

const AUTHOR = { userId: 1, tokenId: undefined };

function byBen(members: Partial<Approval> = {}): Approval {
  return {
    userId: 2,
    tokenId: undefined,
    name: 'ben',
    role: 'Editor',
    mayApprove: true,
    version: 1,
    gone: undefined,
    ...members,
  };
}

function approvedBy(...approvals: Approval[]): Approved {
  return { version: 1, author: AUTHOR, approvals, minApprovals: 1 };
}

describe('countingApprovals', () => {
  it('counts approvals of the current version by people who may approve', () => {
    const ben = byBen();
    const cleo = byBen({ userId: 3, role: 'Admin' });
    expect(countingApprovals(approvedBy(ben, cleo))).to.deep.equal([ben, cleo]);
  });

  it('counts the approval by an author only while that author is an Admin', () => {
    expect(countingApprovals(approvedBy(byBen({ ...AUTHOR, role: 'Admin' })))).to.have.length(1);
    expect(countingApprovals(approvedBy(byBen(AUTHOR)))).to.have.length(0);
  });

  it('distinguishes the ADMIN token that is the author from another one', () => {
    const one = { userId: -42, tokenId: 'one' };
    const of = { ...approvedBy(byBen({ ...one, tokenId: 'two', role: 'Editor' })), author: one };
    expect(countingApprovals(of)).to.have.length(1);
    expect(countingApprovals({ ...of, approvals: [byBen(one)] })).to.have.length(0);
  });
});

describe('missingApprovals', () => {
  it('is undefined if there are enough', () => {
    expect(missingApprovals(approvedBy(byBen()))).to.equal(undefined);
  });

  for (const [members, reason] of [
    [{ gone: 'deleted user' }, 'the user was deleted'],
    [{ gone: 'revoked token' }, 'the token was revoked'],
    [{ gone: 'expired token' }, 'the token has expired'],
    [{ mayApprove: false }, 'this user may not approve in this environment any more'],
    [{ ...AUTHOR }, 'authors may not approve their own requests, unless they are Admins'],
    [{ version: 2 }, 'the change request was edited since'],
  ] as const) {
    it(`names an approval that no longer counts because ${reason}`, () => {
      expect(missingApprovals(approvedBy(byBen(members)))).to.equal(
        `This change request needs 1 approval by people who may approve; has 0: the approval of ben no longer counts because ${reason}.`,
      );
    });
  }

  it('says how many are needed and there', () => {
    expect(missingApprovals({ ...approvedBy(byBen()), minApprovals: 2 })).to.equal(
      'This change request needs 2 approvals by people who may approve; has 1.',
    );
  });
});
