import { expect } from 'chai';
import { type Progress, findOpenBlocks } from '../../../../packages/core/accounting/blocks/open-blocks.ts';

const KEY = 'counts:1:0';

describe('a partition that was read while its blocks were stored', () => {
  it('is not open if it has no intent and nothing was committed meanwhile', () => {
    expect(openBetween(aProgress(), aProgress())).to.equal(undefined);
  });

  it('is open with the size of its intent', () => {
    expect(openBetween(aProgress({ intendedTo: 15n }), aProgress({ intendedTo: 15n }))).to.deep.equal([
      5n,
      5n,
    ]);
  });

  it('is open if its intent was committed meanwhile, or is over', () => {
    expect(openBetween(aProgress(), aProgress({ intendedTo: 15n }))).to.deep.equal([5n]);
    expect(openBetween(aProgress({ intendedTo: 15n }), aProgress({ storedTo: 15n }))).to.deep.equal([5n]);
  });

  it('is open if blocks were begun and ended meanwhile', () => {
    expect(openBetween(aProgress(), aProgress({ storedTo: 30n }))).to.deep.equal([]);
  });

  it('is open if its first block was begun meanwhile', () => {
    expect(findOpenBlocks([], [aProgress({ storedTo: 0n, intendedTo: 7n })]).get(KEY)).to.deep.equal([7n]);
  });

  it('is judged independently of other partitions and topics', () => {
    const others = [aProgress({ partition: 1 }), aProgress({ topic: 'history/unleash' })];
    const open = findOpenBlocks(
      [aProgress(), ...others],
      [aProgress(), ...others.map((one) => ({ ...one, intendedTo: 11n }))],
    );
    expect([...open.keys()]).to.deep.equal(['counts:1:1', 'history/unleash:1:0']);
  });
});

function openBetween(before: Progress, after: Progress): readonly bigint[] | undefined {
  return findOpenBlocks([before], [after]).get(KEY);
}

function aProgress(members: Partial<Progress> = {}): Progress {
  return { topic: 'counts', epoch: 1, partition: 0, storedTo: 10n, intendedTo: undefined, ...members };
}
