import { expect } from 'chai';
import { DuplicateWindow, type LogMessage, buildBlock, endOf, recallBlock } from '#core/counting';
import { aLogMessage, aPoisonMessage } from '../../../../support/builders/builders.ts';
import { WINDOW_MS, afterMs, rangeOf } from '../../../../support/model/replay.ts';

/** The repeat of the first batch does not count, so nothing is measured from it. */
const MESSAGES = [
  aBatch('first', 0),
  aPoisonMessage({ offset: 1 }),
  aBatch('second', 2),
  aBatch('first', 3, 40_000),
];
const LATER = [
  aBatch('second', 4, 44_000),
  aBatch('first', 5, 44_000),
  aBatch('first', 6, 50_000),
  aBatch('third', 7, 50_000),
];

describe('recallBlock', () => {
  it('remembers what buildBlock remembered, so that a worker counts on like the one before it', () => {
    const [built, recalled] = [new DuplicateWindow(WINDOW_MS), new DuplicateWindow(WINDOW_MS)];
    const { block, remember } = buildBlock(rangeOf(MESSAGES), MESSAGES, { duplicates: built });
    remember();
    expect(recallBlock(MESSAGES, recalled)).to.deep.equal(endOf(block));
    expect([recalled.size, built.size]).to.deep.equal([2, 2]);
    for (const duplicates of [built, recalled]) {
      const next = buildBlock(rangeOf(LATER), LATER, { duplicates }).block;
      expect(next.batches.map(({ batchId }) => batchId)).to.deep.equal(['first', 'third']);
      expect(next.duplicateBatches).to.equal(2);
    }
  });

  it('ends at zero without messages', () => {
    const end = recallBlock([], new DuplicateWindow(WINDOW_MS));
    expect(end).to.deep.equal({ messages: 0, appendedTo: 0 });
  });
});

function aBatch(batchId: string, offset: number, ms = 0): LogMessage {
  return aLogMessage({ batchId, offset, receivedAt: afterMs(ms) });
}
