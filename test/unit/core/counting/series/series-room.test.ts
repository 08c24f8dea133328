import { expect } from 'chai';
import fc from 'fast-check';
import {
  type KnownSeries,
  MAX_SERIES,
  SeriesOfBlock,
  type SeriesOutcome,
  SeriesStates,
  type TokenSeries,
} from '#core/counting';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { type GivenPoint, aPoint } from '../../../../support/builders/points.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIMITS = { each: 3, all: 6 };

type Sent = GivenPoint & { readonly token: string };

describe('the room for counters', () => {
  it('is a quarter of all for one token, and leaves the rest to others', () => {
    expect(MAX_SERIES).to.deep.equal({ each: 50_000, all: 200_000 });
    const log = aLog({ each: 50_000, all: 50_001 });
    const greedy = Array.from({ length: 50_001 }, (_, index) => aFirst('greedy', `${index}`));
    const outcomes = log.store(greedy);
    expect(outcomes.filter((outcome) => 'added' in outcome)).to.have.length(50_000);
    expect(outcomes.at(-1)).to.deep.equal({ reason: 'too_many_counters', sample: '50000' });
    expect(log.store([aFirst('honest', 'one'), { ...aFirst('greedy', '0'), value: 9 }])).to.deep.equal([
      { added: 7 },
      { added: 2 },
    ]);
  });

  it('is full for a token while its counters are in use, also if they stay the same', () => {
    const log = aLog();
    log.store(['a', 'b', 'c'].map((counter) => aFirst('one', counter)));
    for (let hour = 1; hour <= 30; hour += 1)
      log.store(
        ['a', 'b', 'c'].map((counter) => aFirst('one', counter)),
        hour * HOUR_MS,
      );
    const refused = { reason: 'too_many_counters', sample: '3' };
    expect(log.store([aFirst('one', 'd')], 31 * HOUR_MS)).to.deep.equal([refused]);
  });

  it('is made by the counter of the token that was silent for longest, after a day', () => {
    const log = aLog();
    for (const [hour, counter] of ['a', 'b', 'c'].entries())
      log.store([aFirst('one', counter)], hour * HOUR_MS);
    const outcomes = log.store([aFirst('one', 'd'), aFirst('one', 'e')], DAY_MS);
    expect(outcomes).to.deep.equal([{ added: 7 }, { reason: 'too_many_counters', sample: '3' }]);
    expect(log.known()).to.deep.equal(['one b', 'one c', 'one d']);
  });

  it('is given up without counting anything twice: a forgotten counter goes on from its next value', () => {
    const log = aLog();
    log.store(['a', 'b', 'c'].map((counter) => aFirst('one', counter)));
    log.store([aFirst('one', 'd')], DAY_MS);
    const [again] = log.store([{ ...aFirst('one', 'a'), value: 9 }], DAY_MS + 1);
    expect(again).to.include({ reason: 'unknown_start' });
    expect(log.store([{ ...aFirst('one', 'a'), value: 12 }], DAY_MS + 2)).to.deep.equal([{ added: 3 }]);
    const later = { ...aFirst('one', 'new'), startedAt: RECEIVED_AT + DAY_MS, at: RECEIVED_AT + DAY_MS };
    expect(log.store([later], DAY_MS + 3)).to.deep.equal([{ added: 7 }]);
  });

  it('is sought once for all points that find none, however many tokens there are', () => {
    const known = new TokensAskedFor();
    const full = aLog({ each: 1, all: 1000 });
    full.store(Array.from({ length: 1000 }, (_, index) => aFirst(`token ${index}`, 'one')));
    for (const [token, series] of full.tokens()) known.set(token, series);
    const block = new SeriesOfBlock(known, { seenAt: RECEIVED_AT, limits: { each: 1, all: 1000 } });
    for (let counter = 0; counter < 1000; counter += 1) {
      const { token, ...given } = aFirst('late', `${counter}`);
      expect(block.judge(token, aPoint(given))).to.include({ reason: 'too_many_counters' });
    }
    expect(known.asked).to.be.at.most(5000);
  });

  it('is made by the token with the most counters if all is full, even if they are in use', () => {
    const log = aLog({ each: 6, all: 6 });
    log.store(['a', 'b', 'c', 'd', 'e', 'f'].map((counter) => aFirst('greedy', counter)));
    expect(log.store(['a', 'b', 'c'].map((counter) => aFirst('honest', counter)))).to.deep.equal(
      ['a', 'b', 'c'].map(() => ({ added: 7 })),
    );
    // Both have half now.
    const refused = { reason: 'too_many_counters', sample: '6' };
    expect(log.store([aFirst('honest', 'd'), aFirst('greedy', 'g')])).to.deep.equal([refused, refused]);
    expect(log.known().filter((name) => name.startsWith('honest'))).to.have.length(3);
  });

  it('is free again when the counters are silent for a month', () => {
    const log = aLog();
    log.store(['a', 'b', 'c'].map((counter) => aFirst('one', counter)));
    log.store([{ ...aFirst('two', 'a'), at: RECEIVED_AT + 31 * DAY_MS }], 31 * DAY_MS);
    expect(log.known()).to.deep.equal(['two a']);
  });

  it('belongs to the token: another token cannot break a counter', () => {
    const log = aLog();
    log.store([aFirst('one', 'a')]);
    const lower = { value: 1, at: RECEIVED_AT + 1 };
    log.store([{ ...aFirst('two', 'a'), ...lower }]);
    expect(log.store([{ ...aFirst('one', 'a'), at: RECEIVED_AT + 2, value: 9 }])).to.deep.equal([
      { added: 2 },
    ]);
  });

  it('is the same wherever workers take over, and nothing counts twice', () => {
    fc.assert(
      fc.property(blocks, fc.array(fc.boolean()), ({ sent }, restarts) => {
        const [going, restarted] = [aLog({ each: 2, all: 4 }), aLog({ each: 2, all: 4 })];
        const counted = new Map<string, number>();
        const last = new Map<string, number>();
        for (const [index, { points, afterMs }] of sent.entries()) {
          if (restarts[index] ?? false) restarted.restart();
          const outcomes = going.store(points, afterMs);
          expect(restarted.store(points, afterMs)).to.deep.equal(outcomes);
          expect(restarted.known()).to.have.members(going.known());
          for (const [place, { token, counter, value }] of points.entries()) {
            const key = `${token} ${counter ?? ''}`;
            const outcome = outcomes[place];
            counted.set(
              key,
              (counted.get(key) ?? 0) + (outcome !== undefined && 'added' in outcome ? outcome.added : 0),
            );
            last.set(key, Math.max(last.get(key) ?? 0, value));
          }
        }
        for (const [key, sum] of counted) expect(sum).to.be.at.most(last.get(key) ?? 0);
      }),
    );
  });
});

/** Blocks of processes whose counters only grow, with hours or days between them. */
const blocks = fc
  .array(
    fc.record({
      hours: fc.constantFrom(0, 0, 1, 25, 60),
      points: fc.array(
        fc.record({
          token: fc.constantFrom('x', 'y', 'z'),
          counter: fc.constantFrom('a', 'b', 'c', 'd'),
          step: fc.nat(3),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((given) => {
    let afterMs = 0;
    const values = new Map<string, number>();
    const sent = given.map(({ hours, points }) => {
      afterMs += hours * HOUR_MS;
      return {
        afterMs,
        points: points.map(({ token, counter, step }): Sent => {
          const key = `${token} ${counter}`;
          const value = (values.get(key) ?? 1) + step;
          values.set(key, value);
          return { token, counter, value, at: RECEIVED_AT + afterMs };
        }),
      };
    });
    return { sent };
  });

function aFirst(token: string, counter: string): Sent {
  return { token, counter, value: 7 };
}

/** A partition: its worker, and what is stored of its blocks. */
/** Counts how often a token is looked up. */
class TokensAskedFor extends Map<string, TokenSeries> {
  asked = 0;

  override get(token: string): TokenSeries | undefined {
    this.asked += 1;
    return super.get(token);
  }
}

function aLog(limits = LIMITS) {
  const stored = new Map<string, KnownSeries>();
  let states = new SeriesStates([], limits);
  const names = new Map<string, string>();
  return {
    /** Stores the points as one block, and returns what became of each. */
    store(points: readonly Sent[], afterMs = 0): SeriesOutcome[] {
      const block = states.begin(RECEIVED_AT + afterMs);
      const outcomes = points.map(({ token, ...given }) => {
        const point = aPoint(given);
        names.set(point.series, given.counter ?? '');
        return block.judge(token, point);
      });
      states.remember(block.changes());
      for (const { state, ...id } of block.changes()) {
        const key = `${id.token} ${id.series} ${id.startedAt}`;
        if (state === undefined) stored.delete(key);
        else stored.set(key, { ...id, state });
      }
      return outcomes;
    },
    /** Another worker takes over. */
    restart(): void {
      states = new SeriesStates([...stored.values()].reverse(), limits);
    },
    /** What is known of each token. */
    tokens: (): [token: string, series: TokenSeries][] =>
      Array.from(states.known(), (one) => [
        one.token,
        { known: new Map([[`${one.series}${one.startedAt}`, one]]), forgotten: undefined },
      ]),
    /** Token and name of the known counters. */
    known: (): string[] =>
      Array.from(states.known(), ({ token, series }) => `${token} ${names.get(series) ?? series}`).sort(),
  };
}
