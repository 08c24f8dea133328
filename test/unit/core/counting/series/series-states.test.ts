import { expect } from 'chai';
import fc from 'fast-check';
import { dayOf } from '#base/schema';
import {
  type Block,
  DuplicateWindow,
  type KnownSeries,
  type LogMessage,
  SeriesStates,
  buildBlock,
} from '#core/counting';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { type GivenPoint, aPoint, aPointsValue } from '../../../../support/builders/points.ts';
import { rangeOf } from '../../../../support/model/replay.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TOKEN = 'token';
const DAY = Math.floor(RECEIVED_AT / DAY_MS);

describe('points of counters that add up from their start', () => {
  it('add what is new since the last one', () => {
    expect(judge([{ value: 5 }, { value: 7 }, { value: 7 }])).to.deep.equal([5, 2, 0]);
  });

  it('begin again with another start', () => {
    const restarted = RECEIVED_AT - MINUTE_MS;
    expect(judge([{ value: 5 }, { startedAt: restarted, value: 3 }, { value: 6 }])).to.deep.equal([5, 3, 1]);
  });

  it('add nothing if they are late or repeated', () => {
    const late = RECEIVED_AT - MINUTE_MS;
    expect(judge([{ value: 5 }, { at: late, value: 3 }, { value: 5 }, { value: 6 }])).to.deep.equal([
      5, 0, 0, 1,
    ]);
    expect(judge([{ value: 5 }, { value: 3 }])).to.deep.equal([5, 0]);
  });

  it('are refused for good once a value has fallen, because two processes must have sent it', () => {
    const later = (minutes: number) => RECEIVED_AT + minutes * MINUTE_MS;
    const points = [{ value: 5 }, { at: later(1), value: 3 }, { at: later(2), value: 9 }];
    expect(judge(points)).to.deep.equal([5, 'counter_fell: 3 after 5', 'counter_fell: 9 after 5']);
    expect(judge([...points, { startedAt: RECEIVED_AT, value: 2 }]).at(-1)).to.equal(2);
  });

  it('of an unknown counter are refused once if it started so long ago that it may be forgotten', () => {
    const startedAt = RECEIVED_AT - 28 * DAY_MS;
    expect(
      judge([
        { startedAt, value: 5 },
        { startedAt, value: 6 },
      ]),
    ).to.deep.equal([5, 1]);
    const firstKnown = (DAY - 28) * DAY_MS;
    expect(judge([{ startedAt: firstKnown, value: 5 }])).to.deep.equal([5]);
    const earlier = Date.UTC(2026, 9, 23);
    expect(
      judge([
        { startedAt: earlier, value: 5 },
        { startedAt: earlier, value: 6 },
      ]),
    ).to.deep.equal(['unknown_start: start 2026-10-23T00:00:00.000Z', 1]);
  });

  it('of a counter that was silent for a month are unknown again, whether the worker has restarted or not', () => {
    const messages = [messageOf(0, [{ value: 5 }]), messageOf(1, [{ value: 6 }], RECEIVED_AT + 31 * DAY_MS)];
    for (const restarts of [true, false]) expect(replayEach(messages, restarts).refused).to.equal(1);
    const sooner = [messageOf(0, [{ value: 5 }]), messageOf(1, [{ value: 6 }], afterDays(30))];
    for (const restarts of [true, false])
      expect(replayEach(sooner, restarts)).to.deep.include({ counted: 6, refused: 0 });
  });

  it('of a counter that stays the same are known as long as it sends them', () => {
    const values = [5, 5, 6];
    const messages = values.map((value, index) => messageOf(index, [{ value }], afterDays(20 * index)));
    for (const restarts of [true, false])
      expect(replayEach(messages, restarts)).to.deep.include({ counted: 6, refused: 0 });
  });

  it('of a broken counter are refused as long as it sends them', () => {
    const values = [5, 3, 9, 12, 13, 14];
    const messages = values.map((value, index) =>
      messageOf(index, [{ at: RECEIVED_AT + index, value }], afterDays(index < 2 ? 0 : 10 * index)),
    );
    for (const restarts of [true, false])
      expect(replayEach(messages, restarts)).to.deep.include({ counted: 5, refused: 5 });
  });

  it('are of the latest day of the log, even if the clock of a broker goes back', () => {
    const messages = [1, 0].map((days, index) => messageOf(index, [{ value: 5 + index }], afterDays(days)));
    for (const restarts of [true, false]) {
      const { blocks } = replayEach(messages, restarts);
      expect(blocks.map(({ series }) => dayOf(series[0]?.seenAt ?? 0))).to.deep.equal([DAY + 1, DAY + 1]);
    }
  });

  it('that cannot be known at all are refused', () => {
    const messages = [messageOf(0, [{ value: 5 }])];
    const { block } = buildBlock(rangeOf(messages), messages, { duplicates: new DuplicateWindow(1) });
    expect(block.tally).to.deep.equal({ received: 1, counted: 0, refused: 1, duplicate: 0, dead: 0 });
    expect(block.refusals).to.have.length(1);
    expect(block.refusals[0]).to.include({
      reason: 'unknown_start',
      featureName: 'counted',
      appName: 'checkout',
      environment: 'production',
      sample: '',
    });
  });

  it('are counted with their variant and reason, and make no row if nothing is new', () => {
    const { blocks } = replayPoints(
      [[messageOf(0, [{ value: 5 }])], [messageOf(1, [{ value: 5 }])]],
      () => false,
    );
    const [{ sums, reasons }, idle] = [blocks[0] ?? fail(), blocks[1] ?? fail()];
    expect([sums.rowCount, sums.yesOf(0), sums.reportsOf(0)]).to.deep.equal([1, 5, 1]);
    expect(sums.countOfVariant(sums.firstVariantOf(0))).to.equal(5);
    expect(Array.from(reasons.sums.all(), ({ count }) => count)).to.deep.equal([5]);
    expect([idle.sums.rowCount, idle.hours.size, idle.tally.counted, idle.series]).to.deep.equal([
      0,
      0,
      1,
      [],
    ]);
  });

  it('count to the last evaluation, however the log is divided and wherever workers take over', () => {
    fc.assert(
      fc.property(
        processes,
        fc.array(fc.nat(5), { minLength: 1 }),
        fc.array(fc.boolean()),
        (sent, sizes, restarts) => {
          const messages = sent.map((points, offset) => messageOf(offset, [points]));
          const blocks = divide(messages, sizes);
          const { counted, refused } = replayPoints(blocks, (index) => restarts[index] ?? false);
          const last = new Map<string, number>();
          for (const { counter, startedAt, value } of sent) {
            const key = `${counter} ${startedAt}`;
            last.set(key, Math.max(last.get(key) ?? 0, value));
          }
          expect(counted).to.equal([...last.values()].reduce((sum, value) => sum + value, 0));
          expect(refused).to.equal(0);
        },
      ),
    );
  });
});

/** What each point adds, or why it is refused. */
function judge(points: readonly GivenPoint[]): (number | string)[] {
  const series = new SeriesStates().begin(RECEIVED_AT);
  return points.map((point) => {
    const outcome = series.judge(TOKEN, aPoint(point));
    return 'added' in outcome ? outcome.added : `${outcome.reason}: ${outcome.sample}`;
  });
}

/** Points of honest processes: each counter only grows, and any point may arrive again, and late. */
const processes = fc
  .array(
    fc.record({
      counter: fc.constantFrom('a', 'b'),
      startedAt: fc.constantFrom(RECEIVED_AT - 3 * MINUTE_MS, RECEIVED_AT - 2 * MINUTE_MS),
      steps: fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => {
    const totals = new Map<string, { value: number; at: number }>();
    return all.flatMap(({ counter, startedAt, steps }) => {
      const key = `${counter} ${startedAt}`;
      return steps.map((step) => {
        const { value, at } = totals.get(key) ?? { value: 0, at: startedAt };
        const next = { value: value + step, at: at + 1000 };
        totals.set(key, next);
        return { counter, startedAt, ...next };
      });
    });
  })
  .chain((points) =>
    fc
      .tuple(fc.shuffledSubarray(points, { minLength: points.length }), fc.subarray(points))
      .map(([shuffled, again]) => [...shuffled, ...again]),
  );

function afterDays(days: number): number {
  return RECEIVED_AT + days * DAY_MS;
}

function messageOf(offset: number, points: readonly GivenPoint[], appendedAt = RECEIVED_AT): LogMessage {
  return { offset: BigInt(offset), value: aPointsValue(points, `batch ${offset}`), appendedAt };
}

function divide(messages: readonly LogMessage[], sizes: readonly number[]): LogMessage[][] {
  const blocks: LogMessage[][] = [];
  for (let start = 0, turn = 0; start < messages.length; turn += 1) {
    const size = 1 + (sizes[turn % sizes.length] ?? 0);
    blocks.push(messages.slice(start, start + size));
    start += size;
  }
  return blocks;
}

/** Stores each message in a block, by one worker or by another one each time. */
function replayEach(messages: readonly LogMessage[], restarts: boolean) {
  return replayPoints(
    messages.map((message) => [message]),
    () => restarts,
  );
}

/** Stores the blocks. Before some of them, another worker reads what is stored. */
function replayPoints(log: readonly (readonly LogMessage[])[], restartsBefore: (block: number) => boolean) {
  const stored = new Map<string, KnownSeries>();
  const duplicates = new DuplicateWindow(1);
  let series = new SeriesStates();
  const blocks: Block[] = [];
  for (const [index, messages] of log.entries()) {
    if (restartsBefore(index)) series = new SeriesStates(stored.values());
    const { block, remember } = buildBlock(rangeOf(messages), messages, { duplicates, series });
    remember();
    blocks.push(block);
    for (const { state, ...id } of block.series) {
      if (state !== undefined) stored.set(`${id.series} ${id.startedAt}`, { ...id, state });
    }
  }
  return {
    blocks,
    counted: blocks.reduce((sum, block) => sum + yesOf(block), 0),
    refused: blocks.reduce((sum, { tally }) => sum + tally.refused, 0),
  };
}

function yesOf({ sums }: Block): number {
  return Array.from({ length: sums.rowCount }, (_, row) => sums.yesOf(row)).reduce(
    (all, yes) => all + yes,
    0,
  );
}

function fail(): never {
  throw new Error('no block');
}
