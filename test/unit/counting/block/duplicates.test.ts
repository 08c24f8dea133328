import { expect } from 'chai';
import fc from 'fast-check';
import { DuplicateWindow, horizonOf } from '#counting';
import { logs, splitLogs } from '../../../support/builders/arbitraries.ts';
import { aLogMessage } from '../../../support/builders/builders.ts';
import {
  WINDOW_MS,
  afterMs,
  blockOf,
  contentOf,
  countedByTheRule,
  replay,
  replayWithRestarts,
} from '../../../support/model/replay.ts';

const REPEATS: readonly (readonly [laterMs: number, counted: number])[] = [
  [0, 1],
  [27_000, 1],
  [WINDOW_MS - 1, 1],
  [WINDOW_MS, 2],
  [60_000, 2],
  [-1, 1],
  [1 - WINDOW_MS, 1],
  [-WINDOW_MS, 2],
];

describe('DuplicateWindow', () => {
  for (const [laterMs, counted] of REPEATS) {
    it(`counts a batch that comes again ${laterMs} ms later ${counted} times, in one block`, () => {
      expect(blockOf([first(), again(laterMs)]).batches).to.have.length(counted);
    });

    it(`counts a batch that comes again ${laterMs} ms later ${counted} times, in two blocks`, () => {
      const blocks = replay([[first()], [again(laterMs)]]);
      expect(blocks.flatMap(({ batches }) => batches)).to.have.length(counted);
    });
  }

  it('measures from the counted batch, not from its repeats', () => {
    const block = blockOf([first(), again(40_000), { ...again(50_000), offset: 2n }]);
    expect(block.batches.map(({ receivedAt }) => receivedAt)).to.deep.equal([afterMs(0), afterMs(50_000)]);
  });

  it('recognises a batch after an older one with the same id', () => {
    const messages = [first(), again(-50_000), { ...again(10_000), offset: 2n }];
    expect(blockOf(messages).duplicateBatches).to.equal(1);
  });

  it('forgets a block that was never stored', () => {
    const window = new DuplicateWindow(WINDOW_MS);
    window.begin().claim({ batchId: 'a', receivedAt: afterMs(0) });
    expect(window.begin().claim({ batchId: 'a', receivedAt: afterMs(1) })).to.equal(true);
  });

  it('remembers for as long as a batch can be in flight, measured from the latest receipt', () => {
    const window = new DuplicateWindow(WINDOW_MS);
    window.load([
      { batchId: 'old', receivedAt: afterMs(0) },
      { batchId: 'new', receivedAt: afterMs(window.horizonMs) },
    ]);
    expect(window.size).to.equal(2);
  });

  it('keeps nothing beyond the horizon', () => {
    const window = new DuplicateWindow(WINDOW_MS);
    window.load([
      { batchId: 'old', receivedAt: afterMs(0) },
      { batchId: 'new', receivedAt: afterMs(window.horizonMs + 1) },
    ]);
    expect(window.size).to.equal(1);
  });

  it('keeps honest ids if a clock runs ahead', () => {
    const ahead = aLogMessage({ offset: 1, batchId: 'x', receivedAt: afterMs(1e9), appendedAt: afterMs(1) });
    const blocks = replay([[first()], [ahead], [{ ...again(2), offset: 2n }]]);
    expect(blocks[2]?.tally).to.include({ duplicate: 1, counted: 0 });
  });

  it('counts repeated batches once, and again when they come beyond the window', () => {
    const log = splitLogs(logs({ stepMs: 30_000, disorderMs: 0 }));
    fc.assert(
      fc.property(log, (blocks) => {
        const counted = replay(blocks).flatMap(({ batches }) => batches);
        expect(counted).to.deep.equal(countedByTheRule(blocks.flat()));
      }),
    );
  });

  it('counts repeated batches once, even if receipts are out of order by half a minute', () => {
    const log = splitLogs(logs({ stepMs: 10_000, disorderMs: 30_000 }));
    fc.assert(
      fc.property(log, (blocks) => {
        const counted = replay(blocks).flatMap(({ batches }) => batches);
        expect(counted).to.deep.equal(countedByTheRule(blocks.flat()));
      }),
      { numRuns: 500 },
    );
  });

  it('produces the same blocks if another worker builds each of them', () => {
    const log = splitLogs(logs({ stepMs: 60_000, disorderMs: 30_000 }));
    fc.assert(
      fc.property(log, (blocks) => {
        expect(replayWithRestarts(blocks).map(contentOf)).to.deep.equal(replay(blocks).map(contentOf));
      }),
      { numRuns: 500 },
    );
  });

  it('produces the same blocks even if receipts are arbitrarily out of order', () => {
    const log = splitLogs(logs({ stepMs: 100_000, disorderMs: 500_000 }));
    fc.assert(
      fc.property(log, (blocks) => {
        expect(replayWithRestarts(blocks).map(contentOf)).to.deep.equal(replay(blocks).map(contentOf));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('horizonOf', () => {
  it('is twice a long window', () => {
    expect(horizonOf(300_000)).to.equal(600_000);
  });

  it('is two minutes for a short one', () => {
    expect(horizonOf(45_000)).to.equal(120_000);
  });
});

function first(): ReturnType<typeof aLogMessage> {
  return aLogMessage({ offset: 0, receivedAt: afterMs(0) });
}

function again(laterMs: number): ReturnType<typeof aLogMessage> {
  return aLogMessage({ offset: 1, receivedAt: afterMs(laterMs) });
}
