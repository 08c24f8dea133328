import { expect } from 'chai';
import {
  type DayAccounting,
  type PartitionAccounting,
  findDifferences,
  sumSamples,
  sumTallies,
} from '#core/accounting';
import { COUNT_TABLES } from '#core/clickhouse';

describe('findDifferences', () => {
  it('finds none if everything adds up', () => {
    expect(findDifferences({ imports: [], partitions: [aPartition()], days: [aDay()] })).to.deep.equal([]);
  });

  it('finds none in an empty system', () => {
    expect(findDifferences({ imports: [], partitions: [], days: [] })).to.deep.equal([]);
  });

  it('does not count messages in flight as a difference', () => {
    expect(
      findDifferences({ imports: [], partitions: [aPartition({ inFlight: 7n })], days: [] }),
    ).to.deep.equal([]);
  });

  it('names gaps with their partition and epoch', () => {
    const differences = findDifferences({
      imports: [],
      partitions: [aPartition({ partition: 3, gaps: 2 })],
      days: [],
    });
    expect(differences).to.deep.equal([
      { subject: 'counts/3 (epoch 1)', text: '2 gaps between blocks', by: '2', at: '9' },
    ]);
  });

  it('names overlaps with their partition and epoch', () => {
    const differences = findDifferences({
      imports: [],
      partitions: [aPartition({ epoch: 4, overlaps: 1 })],
      days: [],
    });
    expect(differences).to.deep.equal([
      { subject: 'counts/0 (epoch 4)', text: '1 overlapping block', by: '1', at: '9' },
    ]);
  });

  for (const [member, by] of [
    ['received', '1'],
    ['counted', '-1'],
    ['refused', '-1'],
    ['duplicate', '-1'],
    ['dead', '-1'],
  ] as const) {
    it(`names one ${member} too many`, () => {
      const partition = aPartition({ [member]: aPartition()[member] + 1 });
      const [difference] = findDifferences({ imports: [], partitions: [partition], days: [] });
      expect(difference?.text).to.match(/^received \d+, explained \d+$/);
      expect(difference?.by).to.equal(by);
    });
  }

  it('names blocks that stand in the wrong shard, and the shard of the partition', () => {
    const textOf = (blocks: number) =>
      findDifferences({
        imports: [],
        partitions: [aPartition({ blocks, shard: 2, ownShard: 1 })],
        days: [],
      }).map(({ subject, text, by }) => [subject, text, by]);
    const subject = 'counts/0 (epoch 1) of shard 2';
    expect(textOf(1)).to.deep.equal([[subject, '1 block belongs to shard 1', '1']]);
    expect(textOf(5)).to.deep.equal([[subject, '5 blocks belong to shard 1', '5']]);
    expect(textOf(0)).to.deep.equal([]);
    const inPlace = aPartition({ blocks: 5, shard: 2, ownShard: 2 });
    expect(findDifferences({ imports: [], partitions: [inPlace], days: [] })).to.deep.equal([]);
  });

  it('names refused metrics without a reason', () => {
    const partitions = [aPartition({ refusedByReason: { too_old: 2 } })];
    const text = 'refused 3, with a reason 2';
    const difference = { subject: 'counts/0 (epoch 1)', text, by: '1', at: '9' };
    expect(findDifferences({ imports: [], partitions, days: [] })).to.deep.equal([difference]);
  });

  for (const { table } of COUNT_TABLES) {
    it(`names a day of ${table} that differs, with both sums`, () => {
      const days = [aDay({ table, expected: [5n, 2n], stored: [5n, 3n], isWrong: true })];
      const text = 'blocks say 5/2, the table says 5/3';
      const difference = { subject: `2026-11-21 ${table}`, text, by: '0/1', at: '5/2' };
      expect(findDifferences({ imports: [], partitions: [], days })).to.deep.equal([difference]);
    });
  }

  it('names up to three hours, reasons or partitions of a day', () => {
    const textOf = (...wrong: string[]) =>
      findDifferences({ imports: [], partitions: [], days: [aDay({ isWrong: true, wrong })] })[0]?.text;
    expect(textOf('10:00', '11:00', '12:00')).to.match(/ the table says 5\/2 \(10:00, 11:00, 12:00\)$/);
    expect(textOf('10:00', '11:00', '12:00', '13:00')).to.match(/ \(10:00, 11:00, 12:00, ...\)$/);
  });

  it('does not count what is being stored as a difference', () => {
    const days = [aDay({ expected: [5n, 2n], stored: [6n, 2n], beingStored: [1n, 0n] })];
    expect(findDifferences({ imports: [], partitions: [], days })).to.deep.equal([]);
  });

  it('names every difference', () => {
    const partitions = [aPartition({ gaps: 1, overlaps: 1, dead: 9 }), aPartition({ gaps: 1 })];
    expect(findDifferences({ imports: [], partitions, days: [aDay({ isWrong: true })] })).to.have.length(5);
  });
});

describe('differences of samples', () => {
  it('finds samples without an outcome', () => {
    const partitions = [aPartition({ samples: { received: 5, counted: 2, refused: 1, duplicate: 1 } })];
    const [difference] = findDifferences({ imports: [], partitions, days: [] });
    expect(difference).to.include({ text: 'received 5 samples, explained 4', by: '1' });
  });
});

describe('sumTallies', () => {
  it('adds up each column', () => {
    const tally = { received: 10, counted: 4, refused: 3, duplicate: 2, dead: 1 };
    const double = { received: 20, counted: 8, refused: 6, duplicate: 4, dead: 2 };
    expect(sumTallies([tally, tally])).to.deep.equal(double);
  });

  it('returns zeros for no tallies', () => {
    expect(sumTallies([])).to.deep.equal({ received: 0, counted: 0, refused: 0, duplicate: 0, dead: 0 });
  });
});

describe('sumSamples', () => {
  it('adds up each column', () => {
    const samples = { received: 10, counted: 5, refused: 3, duplicate: 2 };
    expect(sumSamples([samples, samples])).to.deep.equal({
      received: 20,
      counted: 10,
      refused: 6,
      duplicate: 4,
    });
  });
});

function aPartition(members: Partial<PartitionAccounting> = {}): PartitionAccounting {
  const place = { topic: 'counts', epoch: 1, partition: 0, blocks: 2, from: 0n, to: 9n, inFlight: 0n };
  const tally = { received: 10, counted: 4, refused: 3, duplicate: 2, dead: 1 };
  const refusedByReason = { too_old: 2, empty_name: tally.refused - 2 };
  const samples = { received: 4, counted: 2, refused: 1, duplicate: 1 };
  return { ...place, ...tally, refusedByReason, samples, gaps: 0, overlaps: 0, ...members };
}

function aDay(members: Partial<DayAccounting> = {}): DayAccounting {
  const sums = { expected: [5n, 2n], stored: [5n, 2n], beingStored: [0n, 0n] };
  return { day: '2026-11-21', table: 'usage_daily', ...sums, isWrong: false, wrong: [], ...members };
}
