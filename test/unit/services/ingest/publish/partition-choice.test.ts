import { expect } from 'chai';
import { keyOfSender, partitionOfSender } from '#core/counting';
import { createPartitionChoice } from '../../../../../services/ingest/publish/partition-choice.ts';

const KIB = 1024;

/** Where the search begins is random, so each choice is made many times. */
const TIMES = 50;

describe('the partition of a batch without a sender', () => {
  it('is one with room for it, never one with an open breaker', () => {
    expect(choicesOf([{ isRejecting: true }, { kib: 31 }, { isRejecting: true }])).to.deep.equal([1]);
  });

  it('is the one with the fewest bytes if all are filled', () => {
    expect(choicesOf([{ kib: 40 }, { kib: 32 }, { kib: 50 }, { kib: 1, isRejecting: true }])).to.deep.equal([
      1,
    ]);
  });

  it('is any of them if all breakers are open', () => {
    expect(choicesOf([{ isRejecting: true }, { isRejecting: true }])).to.deep.equal([0, 1]);
  });

  it('is another one in another process, so that processes share the load', () => {
    expect(choicesOf([{}, {}, {}])).to.deep.equal([0, 1, 2]);
  });

  it('stays the same one in a process until it is filled', () => {
    const choose = createPartitionChoice();
    const partitions = [0, 1, 2].map((index) => ({ index, isRejecting: false, bytes: 0 }));
    const first = choose(partitions, undefined);
    first.bytes = 32 * KIB - 1;
    expect(choose(partitions, undefined)).to.equal(first);
    first.bytes = 32 * KIB;
    expect(choose(partitions, undefined)).to.not.equal(first);
  });
});

describe('the partition of a batch with a sender', () => {
  it('is that of the sender in every process, whatever waits for it', () => {
    const partitions = [0, 1, 2].map((index) => ({ index, isRejecting: index > 0, bytes: index * 40 * KIB }));
    for (const sender of ['a', 'b', 'c', 'd', 'e'].map(keyOfSender)) {
      const chosen = createPartitionChoice()(partitions, sender);
      expect(chosen.index).to.equal(partitionOfSender(sender, 3));
    }
  });
});

/** The partitions that processes choose among these. */
function choicesOf(
  partitions: readonly { readonly kib?: number; readonly isRejecting?: boolean }[],
): number[] {
  const candidates = partitions.map(({ kib = 0, isRejecting = false }, index) => ({
    index,
    isRejecting,
    bytes: kib * KIB,
  }));
  const chosen = Array.from({ length: TIMES }, () => createPartitionChoice()(candidates, undefined).index);
  return [...new Set(chosen)].sort((a, b) => a - b);
}
