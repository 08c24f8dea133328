import { expect } from 'chai';
import fc from 'fast-check';
import { sumTallies } from '#core/accounting';
import { DuplicateWindow, type TimeSums, buildBlock, deduplicationToken } from '#core/counting';
import { batches, logs, reorderedBatches, splitLogs } from '../../../../support/builders/arbitraries.ts';
import {
  RECEIVED_AT,
  aLogMessage,
  aMetric,
  aPoisonMessage,
  aggregate,
} from '../../../../support/builders/builders.ts';
import { sumsOfBlocks, sumsOfCounts, totalOf } from '../../../../support/model/naive-sums.ts';
import { WINDOW_MS, afterMs, blockOf, contentOf, rangeOf, replay } from '../../../../support/model/replay.ts';

const DAY = Math.floor(RECEIVED_AT / 86_400_000);
const MAX = Number.MAX_SAFE_INTEGER;

describe('deduplicationToken', () => {
  it('names topic, epoch, partition and range', () => {
    const range = { topic: 'counts', epoch: 2, partition: 3, from: 4n, to: 5n };
    expect(deduplicationToken(range)).to.equal('counts:2:3:4:5');
  });
});

describe('buildBlock', () => {
  it('adds up messages of the same feature, app, environment and hour', () => {
    const { sums } = blockOf([yes({ offset: 0, yes: 2 }), yes({ offset: 1, yes: 3 })]);
    expect(sums.rowCount).to.equal(1);
    expect(totalOf(sumsOfCounts(sums), 'yes')).to.equal(5n);
  });

  it('holds the sums of each day', () => {
    const yesterday = new Date(afterMs(-86_400_000)).toISOString();
    const metrics = [
      aMetric({ timestamp: yesterday, yes: 1, no: 2 }),
      aMetric({ yes: 3, no: 4, variants: { on: 2, off: 3 } }),
    ];
    expect(blockOf([aLogMessage({ metrics })]).days).to.deep.equal(
      new Map([
        [DAY - 1, { yes: 1n, no: 2n, unknown: 0n, reports: 1n, variants: 0n }],
        [DAY, { yes: 3n, no: 4n, unknown: 0n, reports: 1n, variants: 5n }],
      ]),
    );
  });

  describe('by the minute in which evaluations arrived', () => {
    const MINUTE = Math.floor(RECEIVED_AT / 60_000);
    const ofOne = { no: 0n, unknown: 0n, reports: 1n, variants: 0n };
    const later = (offset: number, ms: number, appendedMs = ms) =>
      aLogMessage({
        offset,
        batchId: `batch ${offset}`,
        metrics: [aMetric({ yes: 1, timestamp: new Date(afterMs(Math.min(ms, appendedMs))).toISOString() })],
        receivedAt: afterMs(ms),
        appendedAt: afterMs(appendedMs),
      });

    it('has a row for each minute, and their sums', () => {
      const { sums, minutes, minuteDays } = blockOf([later(0, 0), later(1, 60_000), later(2, 61_000)]);
      expect(sums.rowCount).to.equal(2);
      expect(minutes).to.deep.equal(
        new Map([
          [MINUTE, { ...ofOne, yes: 1n }],
          [MINUTE + 1, { ...ofOne, yes: 2n, reports: 2n }],
        ]),
      );
      expect(minuteDays).to.deep.equal(new Map([[DAY, { ...ofOne, yes: 3n, reports: 3n }]]));
    });

    it('counts by the broker, not by an ingest process whose clock is ahead', () => {
      const { minutes } = blockOf([later(0, 3_600_000, 0)]);
      expect([...minutes.keys()]).to.deep.equal([MINUTE]);
    });

    it('knows the minutes of three days at most, because each is a partition', () => {
      const days = [-9, -3, -2, -1, 0];
      const { sums, minuteDays } = blockOf(days.map((day, offset) => later(offset, day * 86_400_000)));
      expect([...minuteDays.keys()]).to.deep.equal([DAY - 2, DAY - 1, DAY]);
      expect(totalOf(sumsOfCounts(sums), 'yes')).to.equal(5n);
    });

    it('knows none if nobody reads them', () => {
      const messages = [later(0, 0), later(1, 60_000)];
      const history = { duplicates: new DuplicateWindow(WINDOW_MS), hasMinutes: false };
      const { sums, minutes, minuteDays } = buildBlock(rangeOf(messages), messages, history).block;
      expect([sums.rowCount, minutes.size, minuteDays.size]).to.deep.equal([1, 0, 0]);
    });
  });

  it('holds sums of a day beyond 2^53', () => {
    const metrics = Array.from({ length: 3 }, () => aMetric({ yes: MAX }));
    expect(blockOf([aLogMessage({ metrics })]).days.get(DAY)?.yes).to.equal(3n * BigInt(MAX));
  });

  it('holds the exact sums of each hour and day, whatever the counts', () => {
    const count = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, MAX));
    const counts = fc.record({ hoursAgo: fc.nat(50), feature: fc.nat(3), yes: count, no: count, on: count });
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 20 }), (all) => {
        const metrics = all.map(({ hoursAgo, feature, yes, no, on }) => {
          const timestamp = new Date(afterMs(-hoursAgo * 3_600_000)).toISOString();
          return aMetric({ featureName: `feature ${feature}`, timestamp, yes, no, variants: { on } });
        });
        const exactOf = (periodMs: number): Map<number, TimeSums> => {
          const exact = new Map<number, TimeSums>();
          for (const { hoursAgo, yes, no, on } of all) {
            const period = Math.floor(afterMs(-hoursAgo * 3_600_000) / periodMs);
            const sum = exact.get(period) ?? { yes: 0n, no: 0n, unknown: 0n, reports: 0n, variants: 0n };
            exact.set(period, {
              yes: sum.yes + BigInt(yes),
              no: sum.no + BigInt(no),
              unknown: 0n,
              reports: sum.reports + 1n,
              variants: sum.variants + BigInt(on),
            });
          }
          return exact;
        };
        const { hours, days } = blockOf([aLogMessage({ metrics })]);
        expect(hours).to.deep.equal(exactOf(3_600_000));
        expect(days).to.deep.equal(exactOf(86_400_000));
      }),
    );
  });

  it('handles a relay that sends only the largest counts', () => {
    const metrics = Array.from({ length: 1000 }, () => aMetric({ yes: MAX, variants: { on: MAX } }));
    const value = aLogMessage({ metrics });
    const messages = Array.from({ length: 20 }, (_, n) => ({
      ...value,
      offset: BigInt(n),
      appendedAt: n * 1e6,
    }));
    expect(blockOf(messages).tally.received).to.equal(20_000);
  });

  it('counts all metrics of a repeated batch as duplicates, including refused ones', () => {
    const message = aLogMessage({ metrics: [aMetric({ yes: 1 }), aMetric({ featureName: '' })] });
    const { tally, duplicateBatches } = blockOf([message, { ...message, offset: 1n }]);
    expect(tally).to.deep.equal({ received: 4, counted: 1, refused: 1, duplicate: 2, dead: 0 });
    expect(duplicateBatches).to.equal(1);
  });

  it('turns an undecodable message into a dead letter and counts the others', () => {
    const block = blockOf([
      yes({ offset: 0, yes: 2 }),
      aPoisonMessage({ offset: 1 }),
      yes({ offset: 2, yes: 3 }),
    ]);
    expect(totalOf(sumsOfCounts(block.sums), 'yes')).to.equal(5n);
    expect(block.tally).to.deep.equal({ received: 3, counted: 2, refused: 0, duplicate: 0, dead: 1 });
  });

  it('keeps offset, bytes and problem of a dead letter', () => {
    const message = aPoisonMessage({ offset: 7 });
    const { deadLetters } = blockOf([message]);
    expect(deadLetters).to.deep.equal([
      { offset: 7n, value: message.value, problem: 'not JSON', appendedAt: RECEIVED_AT },
    ]);
  });

  it('turns a message without a value into a dead letter', () => {
    const { deadLetters } = blockOf([{ offset: 0n, value: null, appendedAt: RECEIVED_AT }]);
    expect(deadLetters).to.deep.equal([
      { offset: 0n, value: null, problem: 'no value', appendedAt: RECEIVED_AT },
    ]);
  });

  it('covers the receipts of its messages', () => {
    const receipts = [3000, 1000, 2000];
    const messages = receipts.map((ms, offset) => aLogMessage({ offset, receivedAt: afterMs(ms) }));
    expect(blockOf(messages)).to.include({ receivedFrom: afterMs(1000), receivedTo: afterMs(3000) });
  });

  it('is empty for a range without messages', () => {
    const { tally, sums, batches: counted } = blockOf([]);
    expect({ ...tally, rows: sums.rowCount, batches: counted.length }).to.deep.equal({
      ...sumTallies([]),
      rows: 0,
      batches: 0,
    });
  });

  it('stays the same until it is stored', () => {
    const messages = [aLogMessage({ offset: 0 }), aLogMessage({ offset: 1 })];
    const window = new DuplicateWindow(WINDOW_MS);
    const build = () => contentOf(buildBlock(rangeOf(messages), messages, { duplicates: window }).block);
    expect(build()).to.deep.equal(build());
  });

  it('holds the same sums for any order of the metrics in a message', () => {
    fc.assert(
      fc.property(reorderedBatches, ([batch, reordered]) => {
        const [one, other] = [batch, reordered].map(({ metrics }) => blockOf([aLogMessage({ metrics })]));
        expect(sumsOfBlocks(other ? [other] : [])).to.deep.equal(sumsOfBlocks(one ? [one] : []));
      }),
    );
  });

  it('holds the sums of the counted batches', () => {
    fc.assert(
      fc.property(batches, batches, (one, other) => {
        const messages = [one, other].map(({ metrics }, offset) =>
          aLogMessage({ offset, batchId: `b${offset}`, metrics }),
        );
        const together = aggregate({ applications: [], metrics: [...one.metrics, ...other.metrics] });
        expect(sumsOfBlocks([blockOf(messages)])).to.deep.equal(sumsOfCounts(together.sums));
      }),
    );
  });

  it('loses nothing: received = counted + refused + duplicate + dead, and each message is in one block', () => {
    fc.assert(
      fc.property(splitLogs(logs({ stepMs: 20_000, disorderMs: 30_000 })), (log) => {
        const tally = sumTallies(replay(log).map((block) => block.tally));
        const { received, counted, refused, duplicate, dead } = tally;
        expect(counted + refused + duplicate + dead).to.equal(received);
        expect(received).to.equal(log.flat().length);
      }),
    );
  });

  it('has as many reports as its tally', () => {
    fc.assert(
      fc.property(logs({ stepMs: 20_000, disorderMs: 30_000 }), (messages) => {
        const { sums, tally } = blockOf(messages);
        expect(totalOf(sumsOfCounts(sums), 'reports')).to.equal(BigInt(tally.counted));
      }),
    );
  });

  it('has the same sums in its days as in its rows', () => {
    fc.assert(
      fc.property(logs({ stepMs: 10_000_000, disorderMs: 0 }), (messages) => {
        const { sums, days } = blockOf(messages);
        const rows = sumsOfCounts(sums);
        expect(sumOf([...days.values()].map((day) => day.yes))).to.equal(totalOf(rows, 'yes'));
        expect(sumOf([...days.values()].map((day) => day.variants))).to.equal(totalOf(rows, 'variant on'));
      }),
    );
  });
});

/** A message with its own batch and so many yes. */
function yes(parts: { readonly offset: number; readonly yes: number }): ReturnType<typeof aLogMessage> {
  const { offset } = parts;
  return aLogMessage({ offset, batchId: `batch-${offset}`, metrics: [aMetric({ yes: parts.yes })] });
}

function sumOf(sums: readonly bigint[]): bigint {
  return sums.reduce((total, sum) => total + sum, 0n);
}
