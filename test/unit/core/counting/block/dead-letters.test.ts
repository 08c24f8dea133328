import { expect } from 'chai';
import fc from 'fast-check';
import {
  type KeptLetter,
  deadByBlocks,
  decodeDeadLetter,
  encodeDeadLetter,
  resolutionRange,
} from '#core/counting';
import { RECEIVED_AT, bytesOf } from '../../../../support/builders/builders.ts';

describe('dead letters', () => {
  describe('decodeDeadLetter', () => {
    it('returns what was encoded, whatever the name of the topic', () => {
      for (const topic of ['flagmeter.counts', 'a:1:2', ':']) {
        const letter = aLetter({ topic, offset: 2n ** 62n, epoch: 3, partition: 11 });
        expect(decodeDeadLetter(encodeDeadLetter(letter))).to.deep.equal(letter);
      }
      const empty = aLetter({ value: null });
      expect(decodeDeadLetter(encodeDeadLetter(empty))).to.deep.equal(empty);
    });

    it('rejects anything else', () => {
      const message = encodeDeadLetter(aLetter());
      const { problem: _problem, ...others } = message.headers;
      for (const wrong of [
        { ...message, key: undefined },
        { ...message, key: 'counts:0' },
        { ...message, key: 'counts:0:-1' },
        { ...message, key: 'counts:0:1x' },
        { ...message, key: 'a line\ncounts:0:1' },
        { ...message, headers: others },
        { ...message, headers: { ...message.headers, epoch: 'x1' } },
        { ...message, headers: { ...message.headers, epoch: '1x' } },
        { ...message, headers: { ...message.headers, 'appended-at': '' } },
      ]) {
        expect(decodeDeadLetter(wrong)).to.equal(undefined);
      }
    });
  });

  it('have their own block under a name that no topic can have', () => {
    expect(resolutionRange('replayed', aLetter({ offset: 7n }))).to.deep.equal({
      topic: 'replayed/counts',
      epoch: 1,
      partition: 0,
      from: 7n,
      to: 8n,
    });
  });

  describe('deadByBlocks', () => {
    const letters = [9n, 1n, 4n].map((offset) => aLetter({ offset }));
    const block = { epoch: 1, partition: 0, from: 0n, to: 5n, dead: 2 };

    it('returns the letters that a stored block counts as dead', () => {
      expect(offsetsOf([block])).to.deep.equal([1n, 4n]);
      expect(offsetsOf([block, { ...block, from: 5n, to: 10n, dead: 1 }])).to.deep.equal([1n, 4n, 9n]);
    });

    it('returns no letter of a block that counts fewer: a later worker has decoded some of them', () => {
      expect(offsetsOf([{ ...block, dead: 1 }])).to.deep.equal([]);
    });

    it('returns no letter outside all blocks, or of another partition or epoch', () => {
      expect(offsetsOf([])).to.deep.equal([]);
      expect(offsetsOf([{ ...block, partition: 1 }])).to.deep.equal([]);
      expect(offsetsOf([{ ...block, epoch: 2 }])).to.deep.equal([]);
    });

    it('finds the remaining letters if some have expired', () => {
      expect(offsetsOf([{ ...block, dead: 3 }])).to.deep.equal([1n, 4n]);
    });

    it('finds the same letters as a look at each letter and block, whatever their order', () => {
      const offsets = fc.uniqueArray(fc.bigInt({ min: 0n, max: 30n }));
      const cuts = fc.uniqueArray(fc.bigInt({ min: 0n, max: 31n }));
      fc.assert(
        fc.property(offsets, cuts, fc.array(fc.nat(5)), (given, ends, counts) => {
          const all = given.map((offset) => aLetter({ offset }));
          const borders = ends.toSorted((a, b) => Number(a - b));
          const blocks = borders.slice(1).map((to, index) => ({
            epoch: 1,
            partition: 0,
            from: borders[index] ?? 0n,
            to,
            dead: counts[index] ?? 0,
          }));
          const expected = blocks.flatMap(({ from, to, dead }) => {
            const inside = all.filter(({ offset }) => offset >= from && offset < to);
            return inside.length <= dead ? inside : [];
          });
          expect([...deadByBlocks(all, blocks)]).to.have.members(expected);
        }),
      );
    });

    function offsetsOf(blocks: Parameters<typeof deadByBlocks>[1]): bigint[] {
      const offsets = Array.from(deadByBlocks(letters, blocks), ({ offset }) => offset);
      return offsets.sort((a, b) => Number(a - b));
    }
  });
});

function aLetter(members: Partial<KeptLetter> = {}): KeptLetter {
  const place = { topic: 'counts', epoch: 1, partition: 0, offset: 0n };
  return { ...place, value: bytesOf('?'), problem: 'not JSON', appendedAt: RECEIVED_AT, ...members };
}
