import { expect } from 'chai';
import fc from 'fast-check';
import { formatBucket, formatTick } from '../../../../services/console/state/chart/bucket-title.ts';
import {
  bucketAt,
  completeBuckets,
  stack,
  variantTone,
} from '../../../../services/console/state/chart/counts.ts';
import { toCsv } from '../../../../services/console/state/chart/csv.ts';
import { groupMarks } from '../../../../services/console/state/chart/marks.ts';
import { sparklinePath } from '../../../../services/console/state/sparkline.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 10, 22, 9);
const DATA = {
  starts: [START, START + HOUR_MS, START + 2 * HOUR_MS],
  end: START + 3 * HOUR_MS,
  completeUntil: START + 2 * HOUR_MS,
  series: [],
};

describe('chart data', () => {
  it('puts each layer upon those below, and keeps unknown apart from none', () => {
    const layers = [{ counts: [1, 0, null] }, { counts: [2, 0, null] }, { counts: [null, 5, null] }];
    expect(stack(layers, 3)).to.deep.equal([
      [1, 0, null],
      [3, 0, null],
      [3, 5, null],
    ]);
  });

  it('finds the buckets that no longer grow', () => {
    expect(completeBuckets(DATA)).to.equal(2);
    expect(completeBuckets({ ...DATA, completeUntil: DATA.end })).to.equal(3);
    expect(completeBuckets({ ...DATA, completeUntil: START })).to.equal(0);
  });

  it('finds the bucket of a time', () => {
    const times = [START - 1, START, START + HOUR_MS - 1, START + HOUR_MS, DATA.end];
    expect(times.map((time) => bucketAt(DATA, time))).to.deep.equal([undefined, 0, 0, 1, undefined]);
  });

  it('has eight colours for variants, then the first again', () => {
    expect([0, 7, 8].map(variantTone)).to.deep.equal(['variant-1', 'variant-8', 'variant-1']);
  });
});

describe('the title of a bucket', () => {
  for (const [hours, expected] of [
    [1, '2026-11-22 09:00 – 10:00'],
    [-9, '2026-11-22'],
    [7 * 24, '2026-11-22 – 2026-11-29'],
  ] as const)
    it(`is ${expected}`, () => {
      const start = hours < 0 ? START - 9 * HOUR_MS : START;
      const end = hours < 0 ? start + DAY_MS : start + hours * HOUR_MS;
      expect(formatBucket({ start, end }, 'UTC')).to.equal(expected);
    });

  it('is as fine as the distance of the marks of an axis', () => {
    const midnight = START - 9 * HOUR_MS;
    expect(formatTick(START, HOUR_MS, 'UTC')).to.equal('09:00');
    expect(formatTick(midnight, HOUR_MS, 'UTC')).to.equal('22 Nov');
    expect(formatTick(START, DAY_MS, 'UTC')).to.equal('22 Nov');
    expect(formatTick(START, 31 * DAY_MS, 'UTC')).to.equal('Nov 2026');
  });
});

describe('CSV', () => {
  it('quotes what needs it, and starts no formula', () => {
    expect(
      toCsv([
        ['a,b', 'say "hi"', 'two\nlines', '=cmd()', '-1'],
        [1, -2, null],
      ]),
    ).to.equal(`"a,b","say ""hi""","two\nlines",'=cmd(),'-1\r\n1,-2,\r\n`);
  });
});

describe('marks', () => {
  it('join a mark that they would touch', () => {
    const marks = [30, 5, 0, 9, 10].map((at) => ({ at, title: String(at) }));
    expect(groupMarks(marks, 10).map(({ marks: found }) => found.map(({ at }) => at))).to.deep.equal([
      [0, 5, 9],
      [10],
      [30],
    ]);
  });

  it('are all in one group each', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.nat(), (times, touching) => {
        const groups = groupMarks(
          times.map((at) => ({ at, title: '' })),
          touching,
        );
        expect(groups.flatMap(({ marks }) => marks)).to.have.lengthOf(times.length);
      }),
    );
  });
});

describe('the path of a sparkline', () => {
  const box = { width: 100, height: 20 };
  it('goes from 0 at the bottom to the largest count at the top', () => {
    expect(sparklinePath([0, 5, 10], box)).to.equal('M0 20h0L50 10L100 0');
  });
  it('lies at the bottom if there are no evaluations', () => {
    expect(sparklinePath([0, 0], box)).to.equal('M0 20h0L100 20');
  });
  it('has gaps where counts are unknown', () => {
    expect(sparklinePath([null, 4, null, 2], box)).to.equal('M33.3 0h0M100 10h0');
  });
});
