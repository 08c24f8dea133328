import { expect } from 'chai';
import { readShardedAccounting } from '#core/accounting';
import { runStatement } from '#core/clickhouse';
import { sharedWorld } from '../../support/world.ts';
import { planWithProjections } from './projections.ts';

/** Blocks of each partition as [from, to), and the gaps and overlaps that the view must find. */
const PARTITIONS = [
  { ranges: '5-9 0-5 9-10', gaps: 0, overlaps: 0 },
  { ranges: '0-5 7-9 9-10', gaps: 1, overlaps: 0 },
  { ranges: '0-5 4-9', gaps: 0, overlaps: 1 },
  { ranges: '0-5 0-5', gaps: 0, overlaps: 1 },
  { ranges: '0-10 2-5 10-12', gaps: 0, overlaps: 1 },
  { ranges: '0-5 2-7 9-10', gaps: 1, overlaps: 1 },
  { ranges: '3-4', gaps: 0, overlaps: 0 },
].map(({ ranges, ...found }) => ({ ranges: ranges.split(' ').map(toRange), ...found }));

describe('accounting', () => {
  const world = sharedWorld();

  before(async () => {
    // In separate parts, so that consecutive blocks are in different ones.
    for (const place of [0, 1, 2]) await insertBlocks(place);
  });

  it('finds gaps and overlaps, whatever the order in which blocks were stored', expectAccounting);

  it('finds the same when parts are merged, and in a subset of the partitions', async () => {
    await runStatement(world.clickhouse, 'optimize table blocks final');
    await expectAccounting();
  });

  it('finds a gap before the first block of a topic, unless earlier blocks may have been deleted', async () => {
    await runStatement(
      world.clickhouse,
      `insert into topic_epochs (topic, epoch, created_at)
       values ('lost', 0, now() - interval 87 day), ('old', 0, now() - interval 89 day), ('lost', 1, now())`,
    );
    await runStatement(
      world.clickhouse,
      `insert into blocks (topic, epoch, partition, from_offset, to_offset)
       values ('lost', 0, 0, 3, 4), ('lost', 0, 1, 0, 4), ('lost', 1, 0, 3, 4), ('lost', 1, 0, 5, 6), ('old', 0, 0, 3, 4)`,
    );
    const found = 'topic, epoch, partition, toUInt32(gaps) as gaps, is_balanced';
    expect(
      await world.query(
        `select ${found} from accounting where topic in ('lost', 'old') order by topic, epoch, partition`,
      ),
    ).to.deep.equal([
      { topic: 'lost', epoch: 0, partition: 0, gaps: 1, is_balanced: false },
      { topic: 'lost', epoch: 0, partition: 1, gaps: 0, is_balanced: true },
      { topic: 'lost', epoch: 1, partition: 0, gaps: 2, is_balanced: false },
      { topic: 'old', epoch: 0, partition: 0, gaps: 0, is_balanced: true },
    ]);
    const { partitions } = await readShardedAccounting([world.clickhouse], 'lost');
    expect(partitions.map(({ gaps }) => gaps)).to.deep.equal([1, 0, 2]);
    await runStatement(
      world.clickhouse,
      `alter table blocks delete where topic in ('lost', 'old') settings mutations_sync = 1`,
    );
  });

  it('reads precomputed sums', async () => {
    const plan = await planWithProjections(world, 'select sum(received) from accounting');
    expect(plan).to.contain('sums_of_partitions');
  });

  it('does not agree if blocks are missing', async () => {
    await runStatement(
      world.clickhouse,
      `insert into blocks (topic, partition, from_offset, to_offset, received, counted)
       values ('counts', 100, 0, 5, 7, 6)`,
    );
    const [row] = await world.query('select is_balanced from accounting where partition = 100');
    expect(row).to.deep.equal({ is_balanced: false });
  });

  /**
   * The blocks at one index of the lists of all partitions. Each has one metric per offset, a third of them refused.
   */
  function insertBlocks(place: number): Promise<unknown> {
    const rows = PARTITIONS.flatMap(({ ranges }, partition) => {
      const range = ranges[place];
      if (range === undefined) return [];
      const [from, to] = range;
      const refused = Math.floor((to - from) / 3);
      return `('counts', ${partition}, ${from}, ${to}, ${to - from}, ${to - from - refused}, ${refused}, ['too_old'], [${refused}])`;
    });
    return runStatement(
      world.clickhouse,
      `insert into blocks
         (topic, partition, from_offset, to_offset, received, counted, refused, refused_reasons, refused_counts)
       values ${rows.join(', ')}`,
    );
  }

  async function expectAccounting(): Promise<void> {
    const rows = await world.query(
      `select
         partition,
         toUInt32(blocks) as blocks,
         toUInt32(from_offset) as first,
         toUInt32(to_offset) as last,
         toUInt32(received) as received,
         toUInt32(counted + refused_by_reason['too_old']) as explained,
         toUInt32(gaps) as gaps,
         toUInt32(overlaps) as overlaps,
         is_balanced
       from accounting
       order by partition`,
    );
    expect(rows).to.deep.equal(
      PARTITIONS.map(({ ranges, gaps, overlaps }, partition) => {
        const received = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
        return {
          partition,
          blocks: ranges.length,
          first: Math.min(...ranges.map(([from]) => from)),
          last: Math.max(...ranges.map(([, to]) => to)),
          received,
          explained: received,
          gaps,
          overlaps,
          is_balanced: gaps === 0 && overlaps === 0,
        };
      }),
    );
  }
});

function toRange(text: string): [from: number, to: number] {
  const [from = '', to = ''] = text.split('-');
  return [Number(from), Number(to)];
}
