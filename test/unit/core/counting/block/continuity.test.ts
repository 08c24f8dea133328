import { expect } from 'chai';
import { type PartitionPosition, findDiscontinuity } from '#core/counting';

describe('findDiscontinuity', () => {
  it('finds none if the last block ends at the committed offset', () => {
    expect(findDiscontinuity(aPosition({ committed: 5n, storedTo: 5n }))).to.equal(undefined);
  });

  it('finds none if the block of the intent is not stored yet', () => {
    const position = aPosition({ committed: 5n, intent: { to: 7n, at: 0 }, storedTo: 5n });
    expect(findDiscontinuity(position)).to.equal(undefined);
  });

  it('finds none if the block of the intent is stored', () => {
    const position = aPosition({ committed: 5n, intent: { to: 7n, at: 0 }, storedTo: 7n });
    expect(findDiscontinuity(position)).to.equal(undefined);
  });

  it('finds none if nothing was ever stored', () => {
    expect(findDiscontinuity(aPosition({ committed: 0n, storedTo: 0n }))).to.equal(undefined);
  });

  it('finds none if the very first block is intended and not stored yet', () => {
    const intent = { to: 7n, at: 0 };
    expect(findDiscontinuity(aPosition({ intent, storedTo: 0n }))).to.equal(undefined);
  });

  it('warns of counting twice if blocks go beyond the committed offset', () => {
    expect(findDiscontinuity(aPosition({ committed: 5n, storedTo: 6n }))).to.match(/count twice$/);
  });

  it('warns of counting twice if the intent differs from the stored block', () => {
    const position = aPosition({ committed: 5n, intent: { to: 7n, at: 0 }, storedTo: 6n });
    expect(findDiscontinuity(position)).to.match(/count twice$/);
  });

  it('warns of a gap if the first block would not begin at 0', () => {
    expect(findDiscontinuity(aPosition({ committed: 5n, storedTo: 0n }))).to.match(/not counted$/);
  });

  it('warns of a gap if blocks end before the committed offset', () => {
    expect(findDiscontinuity(aPosition({ committed: 5n, storedTo: 4n }))).to.match(/not counted$/);
  });
});

function aPosition(members: Partial<PartitionPosition>): PartitionPosition {
  return { committed: 0n, intent: undefined, storedTo: 0n, ...members };
}
