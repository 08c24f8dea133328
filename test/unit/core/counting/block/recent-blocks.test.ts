import { expect } from 'chai';
import { RecentBlocks, ageingBy } from '#core/counting';

describe('ageingBy', () => {
  const PREVIOUS = { messages: 1, appendedTo: 1_000_000 };
  const AGES: readonly (readonly [passedMs: number, messages: number, age: number])[] = [
    [1000, 10, 1000],
    [5000, 10, 5000],
    [5001, 10, 5000],
    [3_600_000, 10, 5000],
    [-46_000, 10, 1],
    [0, 1, 1],
    [0, 41, 2],
    [1000, 80_000, 2000],
  ];
  for (const [passedMs, messages, age] of AGES)
    it(`is ${age} ms for ${messages} messages that end ${passedMs} ms after the block before`, () => {
      expect(ageingBy({ messages, appendedTo: PREVIOUS.appendedTo + passedMs }, PREVIOUS)).to.equal(age);
    });
});

describe('RecentBlocks', () => {
  it('keeps blocks up to the age, and returns older ones', () => {
    const blocks = new RecentBlocks<{ messages: number; appendedTo: number }>(5000);
    expect(blocks.oldest).to.equal(undefined);
    const [first, second] = [0, 2000].map((appendedTo) => ({ messages: 1, appendedTo }));
    const third = { messages: 1, appendedTo: 5000 };
    expect(
      [first, second, third].flatMap((block) => (block === undefined ? [] : blocks.add(block))),
    ).to.deep.equal([]);
    expect(blocks.oldest).to.equal(first);
    expect(blocks.add({ messages: 1, appendedTo: 5001 })).to.deep.equal([first]);
    expect(blocks.oldest).to.equal(second);
  });

  it('keeps the last block, however long ago', () => {
    const blocks = new RecentBlocks(1000);
    const last = { messages: 1, appendedTo: 9_000_000 };
    blocks.add({ messages: 1, appendedTo: 0 });
    expect(blocks.add(last)).to.have.length(1);
    expect(blocks.oldest).to.equal(last);
  });

  it('holds at most forty messages for each millisecond, even if the clock of the broker stands still', () => {
    const blocks = new RecentBlocks<{ messages: number; appendedTo: number }>(120_000);
    let messages = 0;
    for (let count = 0; count < 500; count += 1) {
      messages += 20_000;
      for (const old of blocks.add({ messages: 20_000, appendedTo: 0 })) messages -= old.messages;
    }
    expect(messages).to.be.at.most(120_000 * 40 + 20_000);
  });
});
