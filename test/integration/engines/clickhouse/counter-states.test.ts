import { expect } from 'chai';
import { type Blocks, createBlocks, readSeriesForRebuild, runStatement } from '#core/clickhouse';
import { DuplicateWindow, type KnownSeries, SeriesStates, buildBlock } from '#core/counting';
import { RECEIVED_AT } from '../../../support/builders/builders.ts';
import { type GivenPoint, aPoint, aPointsValue } from '../../../support/builders/points.ts';
import { sharedWorld } from '../../../support/world.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS);

describe('the states of counters in ClickHouse', () => {
  const world = sharedWorld();
  let blocks: Blocks;
  /** Of one test. */
  let partition = 0;
  let series: SeriesStates;
  before(() => {
    blocks = createBlocks(world.clickhouse);
  });
  beforeEach(() => {
    partition += 1;
    series = new SeriesStates();
  });

  it('are those before a block, whether that is stored or not, and merged or not', async () => {
    await store(0, [{ value: 5 }, { counter: 'two', value: 1 }]);
    const first = { one: [5, false], two: [1, false] };
    expect(await known(1)).to.deep.equal(first);

    await store(1, [{ value: 7 }, { counter: 'three', value: 3 }]);
    expect(await known(1)).to.deep.equal(first);
    await runStatement(world.clickhouse, 'optimize table counter_states final');
    expect(await known(1)).to.deep.equal(first);
    expect(await known(2)).to.deep.equal({ one: [7, false], two: [1, false], three: [3, false] });
  });

  it('say that a counter is broken', async () => {
    const at = Date.now();
    await store(0, [{ at, value: 5 }]);
    await store(1, [{ at: at + 1, value: 4 }]);
    expect([await known(1), await known(2)]).to.deep.equal([{ one: [5, false] }, { one: [5, true] }]);
  });

  it('survive the topic', async () => {
    await store(0, [{ value: 5 }]);
    await store(1, [{ value: 6 }]);
    expect(await known(0, 2)).to.deep.equal({ one: [6, false] });
    await store(0, [{ value: 9 }], { epoch: 2 });
    expect(await known(0, 2)).to.deep.equal({ one: [6, false] });
    expect(await known(1, 2)).to.deep.equal({ one: [9, false] });
  });

  it('are known to a rebuild from the end of a day on, or from where nothing changes them any more', async () => {
    for (const [from, day] of [TODAY - 1, TODAY - 1, TODAY, TODAY].entries())
      await store(from, [{ value: 5 + from }], { day });
    await runStatement(world.clickhouse, 'optimize table counter_states final');
    const begins: unknown[] = [];
    for (const from of [1n, 2n, 3n, 4n]) {
      const found = await readSeriesForRebuild(world.clickhouse, keyOf(1), from);
      begins.push([Number(found.from), valuesOf(found.known)]);
    }
    expect(begins).to.deep.equal([
      [0, {}],
      [2, { one: [6, false] }],
      [2, { one: [6, false] }],
      [4, { one: [8, false] }],
    ]);
  });

  it('say which counters are forgotten, and since when', async () => {
    series = new SeriesStates([], { each: 1, all: 1 });
    await store(0, [{ value: 5 }]);
    await store(1, [{ counter: 'two', value: 5 }], { day: TODAY + 1 });
    const forgotten = { '': [(RECEIVED_AT - 3_600_000) * 1000, false] };
    expect([await known(1), await known(2)]).to.deep.equal([
      { one: [5, false] },
      { two: [5, false], ...forgotten },
    ]);
    await runStatement(world.clickhouse, 'optimize table counter_states final');
    expect(await known(2)).to.deep.equal({ two: [5, false], ...forgotten });
  });

  it('are those of a token', async () => {
    await store(0, [{ value: 5 }]);
    const [one] = (await blocks.readHistory(keyOf(1), 1n, 45_000)).series;
    expect(one).to.include({ token: 'token', startedAt: (RECEIVED_AT - 3_600_000) * 1000 });
    expect(one?.state).to.include({ seenAt: TODAY * DAY_MS });
  });

  async function store(
    from: number,
    points: readonly GivenPoint[],
    { epoch = 1, day = TODAY }: { readonly epoch?: number; readonly day?: number } = {},
  ): Promise<void> {
    const value = aPointsValue(points, `${epoch} ${from}`);
    const message = { offset: BigInt(from), value, appendedAt: day * DAY_MS };
    const range = { ...keyOf(epoch), from: BigInt(from), to: BigInt(from + 1) };
    const history = { duplicates: new DuplicateWindow(1), series };
    const { block, remember } = buildBlock(range, [message], history);
    await blocks.insert(block);
    remember();
  }

  async function known(before: number, epoch = 1) {
    return valuesOf((await blocks.readHistory(keyOf(epoch), BigInt(before), 45_000)).series);
  }

  function keyOf(epoch: number) {
    return { topic: 'counts', epoch, partition };
  }
});

function valuesOf(known: readonly KnownSeries[]): Record<string, unknown> {
  const nameOf = (key: string) =>
    ['one', 'two', 'three'].find((name) => aPoint({ counter: name, value: 0 }).series === key);
  return Object.fromEntries(
    known.map(({ series, state }) => [nameOf(series) ?? series, [state.value, state.isBroken]]),
  );
}
