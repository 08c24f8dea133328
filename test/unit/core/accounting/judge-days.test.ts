import { expect } from 'chai';
import type { DayRow } from '../../../../packages/core/accounting/days/day-query.ts';
import {
  type PartitionSides,
  explain,
  judgeDays,
} from '../../../../packages/core/accounting/days/judge-days.ts';

const BEFORE = [100n, 50n, 30n];
const NEXT = [7n, 3n, 2n];
const LAST = [5n, 1n, 4n];
const NOTHING = [0n, 0n];

describe('the markers of a partition', () => {
  it('agree with the same blocks', () => {
    expect(explain(sides())).to.deep.equal(NOTHING);
  });

  it('agree with blocks that were stored while they were read', () => {
    expect(explain(sides({ markers: sum(BEFORE, NEXT, LAST), beyond: [NEXT, LAST] }))).to.deep.equal(NOTHING);
  });

  it('may lack the last blocks, which are then being stored', () => {
    expect(explain(sides({ markers: sum(BEFORE, NEXT), beyond: [NEXT, LAST] }))).to.deep.equal([5n, 1n]);
    expect(explain(sides({ beyond: [NEXT, LAST] }))).to.deep.equal([12n, 4n]);
  });

  it('may have one block more, with as many messages as its intent', () => {
    expect(explain(sides({ markers: sum(BEFORE, LAST), sizes: [4n] }))).to.deep.equal([5n, 1n]);
    expect(
      explain(sides({ markers: sum(BEFORE, NEXT, LAST), beyond: [NEXT], sizes: [2n, 4n] })),
    ).to.deep.equal([5n, 1n]);
  });

  it('differ by a block that has another number of messages', () => {
    for (const sizes of [[], [3n], [5n]])
      expect(explain(sides({ markers: sum(BEFORE, LAST), sizes })), `sizes ${sizes.join()}`).to.equal(
        undefined,
      );
  });

  it('differ by counts of any amount if no block can be open', () => {
    expect(explain(sides({ markers: sum(BEFORE, LAST), sizes: undefined }))).to.equal(undefined);
    expect(explain(sides({ beyond: [NEXT], sizes: undefined }))).to.equal(undefined);
  });

  it('differ if they lack what was stored before, whatever is being stored', () => {
    const lost = BEFORE.map((count) => count - 1n);
    expect(explain(sides({ markers: lost, sizes: [4n] }))).to.equal(undefined);
    expect(explain(sides({ markers: sum(lost, NEXT), beyond: [NEXT], sizes: [4n] }))).to.equal(undefined);
    expect(explain(sides({ markers: [105n, 49n, 34n], sizes: [4n] }))).to.equal(undefined);
  });

  it('differ if the table has counts without messages', () => {
    expect(explain(sides({ markers: [101n, 50n, 30n], sizes: [4n] }))).to.equal(undefined);
  });

  it('are compared as sums that wrap at 2^64', () => {
    const full = [2n ** 64n - 1n, 50n, 30n];
    expect(explain(sides({ before: full, markers: [4n, 51n, 34n], sizes: [4n] }))).to.deep.equal([5n, 1n]);
  });
});

describe('a day of a table', () => {
  it('agrees if rows, markers and blocks do', () => {
    const [day] = judgeDays([rows(), blocks()], new Map());
    expect(day).to.deep.equal({
      day: '2026-11-21',
      table: 'usage_daily',
      expected: [100n, 50n, 9n, 30n],
      stored: [100n, 50n, 9n, 30n],
      beingStored: [0n, 0n, 0n, 0n],
      isWrong: false,
      wrong: [],
    });
  });

  it('comes in the order of days and tables, whatever the order of the rows', () => {
    const places = [
      ['2026-11-22', 'usage_daily'],
      ['2026-11-21', 'usage_daily'],
      ['2026-11-21', 'refusals_daily'],
    ] as const;
    const found = judgeDays(
      places.map(([day, the_table]) => rows({ day, the_table })),
      new Map(),
    );
    expect(found.map(({ day, table }) => [day, table])).to.deep.equal(places.toReversed());
  });

  it('shows what is being stored, and is not wrong', () => {
    const one = blocks({
      marker_sums: ['105', '51', '11', '34'],
      partitions: [['counts:1:0', ['105', '51', '11', '34'], ['100', '50', '9', '30'], []]],
    });
    const [day] = judgeDays(
      [rows({ day_sums: ['105', '51', '11'], marker_sums: ['105', '51', '11'], day_reports: '33' }), one],
      new Map([['counts:1:0', [4n]]]),
    );
    expect(day).to.include({ isWrong: false });
    expect(day?.stored).to.deep.equal([105n, 51n, 11n, 33n]);
    expect(day?.beingStored).to.deep.equal([5n, 1n, 2n, 3n]);
  });

  it('is wrong where rows and markers differ, also while blocks are being stored', () => {
    const [day] = judgeDays(
      [rows({ day_sums: ['101', '50', '9'], wrong: ['10:00'] }), blocks()],
      new Map([['counts:1:0', [1n]]]),
    );
    expect(day).to.deep.include({ stored: [101n, 50n, 9n, 30n], isWrong: true, wrong: ['10:00'] });
  });

  it('is wrong in the partition whose markers and blocks differ', () => {
    const partitions: DayRow['partitions'] = [
      ['counts:1:0', ['105', '51', '11', '34'], ['100', '50', '9', '30'], []],
      ['counts:1:3', ['7', '0', '0', '1'], [], []],
    ];
    const [day] = judgeDays([rows(), blocks({ partitions })], new Map([['counts:1:0', [4n]]]));
    expect(day).to.deep.include({ isWrong: true, wrong: ['counts/3 (epoch 1)'] });
  });

  it('is wrong if the number of counted metrics differs', () => {
    const [day] = judgeDays([rows({ day_reports: '29' }), blocks()], new Map());
    expect(day).to.deep.include({ isWrong: true, wrong: [], stored: [100n, 50n, 9n, 29n] });
  });

  it('is wrong if one side has nothing', () => {
    const [lost] = judgeDays(
      [blocks({ marker_sums: [], partitions: [['counts:1:0', [], ['100', '50', '9', '30'], []]] })],
      new Map(),
    );
    expect(lost).to.deep.include({ isWrong: true, stored: [0n, 0n, 0n, 0n] });
    const [stray] = judgeDays([rows({ marker_sums: ['0', '0', '0'], wrong: [''] })], new Map());
    expect(stray).to.deep.include({
      isWrong: true,
      wrong: [],
      expected: [0n, 0n, 0n, 0n],
      stored: [100n, 50n, 9n, 30n],
    });
  });
});

function sides(members: Partial<PartitionSides> = {}): PartitionSides {
  return { markers: BEFORE, before: BEFORE, beyond: [], sizes: [], ...members };
}

function sum(...parts: readonly (readonly bigint[])[]): bigint[] {
  return BEFORE.map((_, index) => parts.reduce((total, part) => total + (part[index] ?? 0n), 0n));
}

function rows(members: Partial<DayRow> = {}): DayRow {
  return aRow({ source: 'rows', day_sums: ['100', '50', '9'], marker_sums: ['100', '50', '9'], ...members });
}

function blocks(members: Partial<DayRow> = {}): DayRow {
  return aRow({ source: 'blocks', ...members });
}

function aRow(members: Partial<DayRow>): DayRow {
  const sums = {
    day_sums: ['100', '50', '9', '30'],
    marker_sums: ['100', '50', '9', '30'],
    day_reports: '30',
  };
  return {
    the_table: 'usage_daily',
    day: '2026-11-21',
    source: 'rows',
    wrong: [],
    partitions: [],
    ...sums,
    ...members,
  };
}
