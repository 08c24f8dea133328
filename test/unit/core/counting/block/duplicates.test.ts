import { expect } from 'chai';
import fc from 'fast-check';
import { type Block, DuplicateWindow, horizonOf } from '#core/counting';
import { cutLog, cutsOf, logsByTwoClocks, splitLogs } from '../../../../support/builders/arbitraries.ts';
import { aLogMessage } from '../../../../support/builders/builders.ts';
import {
  WINDOW_MS,
  afterMs,
  blockOf,
  contentOf,
  countedByTheRule,
  replay,
  replayWithRestarts,
} from '../../../../support/model/replay.ts';

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

/** Long enough that ids are forgotten. */
const LONG_LOGS = splitLogs(
  logsByTwoClocks({ stepMs: 20_000, disorderMs: 30_000, wrongMs: 180_000, maxMessages: 60 }).map(
    ([, wrong]) => wrong,
  ),
);

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

  it('recognises a batch after a later one with the same id', () => {
    const blocks = replay([[first()], [again(50_000)], [{ ...again(1000), offset: 2n }]]);
    expect(blocks.map(({ duplicateBatches }) => duplicateBatches)).to.deep.equal([0, 0, 1]);
  });

  it('forgets a block that was never stored', () => {
    const window = new DuplicateWindow(WINDOW_MS);
    window.begin()({ batchId: 'a', receivedAt: afterMs(0) });
    expect(window.begin()({ batchId: 'a', receivedAt: afterMs(1) })).to.equal(true);
  });

  it('remembers a block for as long as a batch can be in flight', () => {
    expect(sizeAfter(horizonOf(WINDOW_MS))).to.equal(2);
  });

  it('keeps nothing beyond that age', () => {
    expect(sizeAfter(horizonOf(WINDOW_MS) + 1)).to.equal(1);
  });

  it('remembers a later batch with the same id when it forgets the first', () => {
    const window = new DuplicateWindow(WINDOW_MS);
    const remember = (receivedAt: number, appendedTo: number): void => {
      window.remember({ batches: [{ batchId: 'a', receivedAt }], messages: 1, appendedTo });
    };
    remember(0, 0);
    remember(60_000, 1000);
    for (let appendedTo = 6000; appendedTo <= 121_000; appendedTo += 5000)
      window.remember({ batches: [], messages: 1, appendedTo });

    expect(window.begin()({ batchId: 'a', receivedAt: 60_001 })).to.equal(false);
    expect(window.begin()({ batchId: 'a', receivedAt: 0 })).to.equal(true);
  });

  for (const [broker, aheadMs] of [
    ['46 s behind', -46_000],
    ['an hour behind', -3_600_000],
    ['an hour ahead', 3_600_000],
  ] as const)
    it(`counts a message once that is sent again to a leader whose clock is ${broker}`, () => {
      const appended = (ms: number) => ({ appendedAt: afterMs(ms + aheadMs) });
      const blocks = replay([
        [first()],
        [{ ...other(1), ...appended(900) }],
        [{ ...first(), offset: 2n, ...appended(1000) }],
      ]);
      expect(blocks[2]?.tally).to.include({ duplicate: 1, counted: 0 });
    });

  for (const [ingest, aheadMs] of [
    ['121 s behind', -121_000],
    ['a day behind', -86_400_000],
    ['a day ahead', 86_400_000],
  ] as const)
    it(`counts a batch once whose ingest process has a clock that is ${ingest}`, () => {
      const at = (offset: number, ms: number) =>
        aLogMessage({ offset, receivedAt: afterMs(ms + aheadMs), appendedAt: afterMs(ms) });
      const blocks = replay([[at(0, 0)], [other(1)], [at(2, 5000)]]);
      expect(blocks[2]?.tally).to.include({ duplicate: 1, counted: 0 });
    });

  it('keeps ids if the clock of another ingest process runs ahead', () => {
    const ahead = aLogMessage({ offset: 1, batchId: 'x', receivedAt: afterMs(1e9), appendedAt: afterMs(1) });
    const blocks = replay([[first()], [ahead], [{ ...again(2), offset: 2n }]]);
    expect(blocks[2]?.tally).to.include({ duplicate: 1, counted: 0 });
  });

  it('counts the same, however wrong the clocks of ingest processes and brokers are', () => {
    const log = logsByTwoClocks({ stepMs: 30_000, disorderMs: 30_000, wrongMs: 600_000 }).chain(
      ([right, wrong]) => cutsOf(right).map((cuts) => [cutLog(right, cuts), cutLog(wrong, cuts)] as const),
    );
    fc.assert(
      fc.property(log, ([right, wrong]) => {
        expect(replay(wrong).map(idsOf)).to.deep.equal(replay(right).map(idsOf));
      }),
      { numRuns: 1000 },
    );
  });

  it('counts by the rule, even if clocks are wrong by minutes', () => {
    fc.assert(
      fc.property(LONG_LOGS, (blocks) => {
        expect(replay(blocks).map(({ batches }) => batches)).to.deep.equal(countedByTheRule(blocks));
      }),
      { numRuns: 500 },
    );
  });

  it('produces the same blocks if another worker builds each of them, even if clocks are wrong by minutes', () => {
    fc.assert(
      fc.property(LONG_LOGS, (blocks) => {
        expect(replayWithRestarts(blocks).map(contentOf)).to.deep.equal(replay(blocks).map(contentOf));
      }),
      { numRuns: 500 },
    );
  });
});

describe('DuplicateWindow of several tokens', () => {
  const LIMITS = { each: 4, all: 6 };
  const STEP_MS = 5000;
  const idsOfTokens = fc.array(fc.constantFrom('a', 'b', 'c').chain(ofToken), { maxLength: 5 });

  it('keeps the ids of a token, however many another one sends', () => {
    const window = new DuplicateWindow(WINDOW_MS);
    const remember = rememberIn(window);
    remember(['honest'], 0);
    for (let sent = 0; sent < 700_000; sent += 20_000)
      remember(
        Array.from({ length: 20_000 }, (_, n) => `loud${sent + n}`),
        sent / 20,
      );
    expect(isNew(window, 'honest')).to.equal(false);
    expect(isNew(window, 'loud699999')).to.equal(false);
    expect(isNew(window, 'loud0')).to.equal(true);
    expect(window.size).to.equal(600_001);
  });

  it('forgets the oldest ids if all together are too many', () => {
    const window = new DuplicateWindow(WINDOW_MS, LIMITS);
    for (const [at, token] of ['a', 'b', 'c', 'd'].entries())
      rememberIn(window)(['1', '2'].map(idOf(token)), at);
    expect(['a', 'b', 'c', 'd'].map((token) => isNew(window, idOf(token)('1')))).to.deep.equal([
      true,
      false,
      false,
      false,
    ]);
  });

  it('keeps no more than the limits, and the same ids if another worker reads the last blocks', () => {
    fc.assert(
      fc.property(fc.array(idsOfTokens, { maxLength: 60 }), fc.nat(2), (blocks, more) => {
        const window = new DuplicateWindow(WINDOW_MS, LIMITS);
        for (const [at, ids] of blocks.entries()) rememberIn(window)(ids, at * STEP_MS);
        expect(window.size).to.be.at.most(LIMITS.all);
        const recent = blocks.slice(-1 - horizonOf(WINDOW_MS) / STEP_MS - more);
        const successor = new DuplicateWindow(WINDOW_MS, LIMITS);
        for (const [at, ids] of recent.entries()) rememberIn(successor)(ids, at * STEP_MS);
        for (const id of blocks.flat()) expect(isNew(successor, id), id).to.equal(isNew(window, id));
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

function other(offset: number): ReturnType<typeof aLogMessage> {
  return aLogMessage({ offset, batchId: 'other', receivedAt: afterMs(offset) });
}

function idsOf({ batches }: Block): string[] {
  return batches.map(({ batchId }) => batchId);
}

/** The number of known ids after a block, and blocks of so many milliseconds in total. */
function sizeAfter(ageMs: number): number {
  const window = new DuplicateWindow(WINDOW_MS);
  const remember = (batchId: string, appendedTo: number): void => {
    window.remember({ batches: [{ batchId, receivedAt: 0 }], messages: 1, appendedTo });
  };
  remember('old', 0);
  for (let passedMs = 5000; passedMs < ageMs; passedMs += 5000)
    window.remember({ batches: [], messages: 1, appendedTo: passedMs });
  remember('new', ageMs);
  return window.size;
}

/** An id of a token. The owner of an id is its beginning. */
function idOf(token: string): (name: string) => string {
  return (name) => `${token.repeat(4)}${name}`;
}

function ofToken(token: string) {
  return fc.nat(9).map((name) => idOf(token)(String(name)));
}

/** Remembers a block with these ids in this window. */
function rememberIn(window: DuplicateWindow) {
  return (ids: readonly string[], appendedTo: number): void => {
    window.remember({
      batches: ids.map((batchId) => ({ batchId, receivedAt: 0 })),
      messages: ids.length,
      appendedTo,
    });
  };
}

function isNew(window: DuplicateWindow, batchId: string): boolean {
  return window.begin()({ batchId, receivedAt: 0 });
}
