import { expect } from 'chai';
import { chooseSome } from '../../../support/nightly.ts';

const CASES = Array.from({ length: 40 }, (_, index) => `${index < 3 ? 'rare' : 'usual'} ${index}`);
const kindOf = (one: string): string => one.replace(/ .*/, '');
const chosenBy = (seed: number): readonly string[] => chooseSome(CASES, 1 / 4, { kindOf, seed });

describe('the cases that a run by day has', () => {
  it('are the share of them, in their order', () => {
    const chosen = chosenBy(1);
    expect(chosen.filter((one) => kindOf(one) === 'usual')).to.have.lengthOf(9);
    expect(chosen).to.deep.equal(CASES.filter((one) => chosen.includes(one)));
  });

  it('are at least one of each kind', () => {
    for (let seed = 1; seed <= 20; seed += 1)
      expect(chosenBy(seed).filter((one) => kindOf(one) === 'rare')).to.have.lengthOf(1);
    expect(chooseSome(['only'], 0.01, { kindOf, seed: 1 })).to.deep.equal(['only']);
  });

  it('are the same in each run with the same seed, and others with another', () => {
    expect(chosenBy(7)).to.deep.equal(chosenBy(7));
    expect(chosenBy(8)).to.not.deep.equal(chosenBy(7));
  });

  it('are all of them within some days', () => {
    const days = Array.from({ length: 30 }, (_, day) => 946_449_717 + day * 86_400_000);
    expect(new Set(days.flatMap((day) => chosenBy(day % 1_000_000_000)))).to.deep.equal(new Set(CASES));
  });
});
