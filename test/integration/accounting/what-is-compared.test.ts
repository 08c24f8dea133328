import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { COUNT_TABLES, createBlocks, runStatement } from '#core/clickhouse';
import { aBlock } from '../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aCounter, aHistogram } from '../../support/builders/builders.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { sharedWorld } from '../../support/world.ts';

/** Adds nothing to the sum of a day if -1 is added as well: sums wrap at 2^64. */
const MINUS_ONE = '18446744073709551615';
const NAMES = "'new-basket', 'production', 'checkout'";
describe('the accounting of the tables', () => {
  const world = sharedWorld();
  const changed: string[] = [];
  const now = new Date();
  const day = now.toISOString().slice(0, 10);

  before(async () => {
    const timestamp = now.toISOString();
    const good = aFreshMetric({ timestamp, yes: 3, variants: { on: 2 } });
    const refused = [aFreshMetric({ featureName: '' }), aFreshMetric({ timestamp: '1867-07-01T00:00:00Z' })];
    const impactMetrics = [aCounter(), aHistogram()];
    await createBlocks(world.clickhouse).insert(
      aBlock({ metrics: [good, ...refused], impactMetrics, reasons: [{ reason: 'static' }], unknown: 4 }),
    );
    expect(await differences()).to.deep.equal([]);
    for (const { table } of COUNT_TABLES) {
      await run(`create table ${table}_of_block as ${table}`);
      await run(`insert into ${table}_of_block select * from ${table}`);
    }
  });
  afterEach(restore);

  it('finds evaluations under another hour of the day, and names both hours', async () => {
    await change(
      'usage_hourly',
      `insert into usage_hourly values (${NAMES}, '${day} 00:00:00', 1, 0, 0, 1), (${NAMES}, '${day} 23:00:00', ${MINUS_ONE}, 0, 0, 0)`,
    );
    expect(await differences()).to.deep.equal([
      { subject: `${day} usage_hourly`, text: 'blocks say 3/0/4/1, the table says 3/0/4/2 (00:00, 23:00)' },
    ]);
  });

  it('finds variants under another hour of the day', async () => {
    await change(
      'variants_hourly',
      `insert into variants_hourly values (${NAMES}, 'on', '${day} 00:00:00', 1), (${NAMES}, 'on', '${day} 23:00:00', ${MINUS_ONE})`,
    );
    expect(await differences()).to.deep.equal([
      { subject: `${day} variants_hourly`, text: 'blocks say 2, the table says 2 (00:00, 23:00)' },
    ]);
  });

  it('finds another value of each sum of each table', async () => {
    const tables = await Promise.all(
      COUNT_TABLES.map(async (one) => ({
        ...one,
        keys: (await keysOf(one.table)).join(', '),
        sums: await sumsOf(one.table),
      })),
    );
    expect(tables.filter(({ sums }) => sums.length === 0)).to.deep.equal([]);
    const most = Math.max(...tables.map(({ sums }) => sums.length));
    for (let nth = 0; nth < most; nth += 1) {
      const altered = tables.filter(({ sums }) => sums.length > nth);
      for (const { table, keys, sums, isMarker, hasCounts } of altered)
        await change(
          table,
          `insert into ${table} (${keys}, ${sums[nth] ?? ''})
           select ${keys}, 1
           from ${table}_of_block
           where not (${isMarker})
             and ${hasCounts}
           limit 1`,
        );
      const found = (await differences()).map(({ subject }) => subject);
      expect(found, `sum ${nth + 1}`).to.have.members(altered.map(({ table }) => `${day} ${table}`));
      await restore();
    }
  });

  it('finds evaluations under another minute of the day, and names both minutes', async () => {
    const values = (minute: string, yes: string) =>
      `(${NAMES}, '${day} ${minute}:00', ${yes}, 0, 0, 0, [], [])`;
    await change(
      'usage_minutely',
      `insert into usage_minutely values ${values('00:00', '1')}, ${values('23:59', MINUS_ONE)}`,
    );
    expect(await differences()).to.deep.equal([
      {
        subject: `${day} usage_minutely`,
        text: 'blocks say 3/0/4/2/1, the table says 3/0/4/2/1 (00:00, 23:59)',
      },
    ]);
  });

  it('finds another number of served variants in a minute', async () => {
    await change(
      'usage_minutely',
      `insert into usage_minutely values (${NAMES}, '${day} 00:00:00', 0, 0, 0, 0, ['on'], [1])`,
    );
    expect(await differences()).to.deep.equal([
      {
        subject: `${day} usage_minutely`,
        text: 'blocks say 3/0/4/2/1, the table says 3/0/4/3/1 (00:00)',
      },
    ]);
  });

  it('finds the rows of a block that are stored twice, or not at all', async () => {
    await change('usage_minutely', 'insert into usage_minutely select * from usage_minutely_of_block');
    const [twice] = await differences();
    expect(twice?.text).to.match(/^blocks say 3\/0\/4\/2\/1, the table says 6\/0\/8\/4\/2/);
    await restore();
    await change('usage_minutely', 'truncate table usage_minutely');
    const [lost] = await differences();
    expect(lost?.text).to.match(/^blocks say 3\/0\/4\/2\/1, the table says 0\/0\/0\/0\/0/);
  });

  it('finds a stray row of another feature', async () => {
    await change(
      'usage_daily',
      `insert into usage_daily values ('stray', 'production', 'checkout', '${day}', 1, 0, 0, 1)`,
    );
    expect(await differences()).to.deep.equal([
      { subject: `${day} usage_daily`, text: 'blocks say 3/0/4/1, the table says 4/0/4/2' },
    ]);
  });

  it('finds samples of an impact metric under another hour of the day', async () => {
    await change(
      'impact_hourly',
      `insert into impact_hourly (metric_name, app_name, hour, observations) values ('purchases', 'checkout', '${day} 00:00:00', 1), ('purchases', 'checkout', '${day} 23:00:00', ${MINUS_ONE})`,
    );
    expect(await differences()).to.deep.equal([
      {
        subject: `${day} impact_hourly`,
        text: 'blocks say 19250000000/6/2, the table says 19250000000/6/2 (00:00, 23:00)',
      },
    ]);
  });

  it('finds a missing refusal, and names the reason', async () => {
    await change(
      'refusals_daily',
      "alter table refusals_daily delete where kind != '' and reason = 'too_old' settings mutations_sync = 2",
    );
    expect(await differences()).to.deep.equal([
      { subject: `${day} refusals_daily`, text: 'blocks say 2, the table says 1 (too_old)' },
    ]);
  });

  it('finds a refusal with another reason', async () => {
    await change(
      'refusals_daily',
      `insert into refusals_daily (day, kind, reason, count) values ('${day}', 'metric', 'too_old', ${MINUS_ONE}), ('${day}', 'metric', 'empty_name', 1)`,
    );
    const [difference] = await differences();
    expect(difference?.subject).to.equal(`${day} refusals_daily`);
    expect(difference?.text).to.match(/^blocks say 2, the table says 2 \(empty_name, too_old\)$/);
  });

  it('finds a table that has lost a block with its markers, and names the partition', async () => {
    await change('variants_daily', 'truncate table variants_daily');
    expect(await differences()).to.deep.equal([
      { subject: `${day} variants_daily`, text: 'blocks say 2, the table says 0 (counts/0 (epoch 1))' },
    ]);
  });

  it('does not find evaluations that moved to another feature of the same hour', async () => {
    await change(
      'usage_daily',
      `insert into usage_daily values ('other', 'production', 'checkout', '${day}', 1, 0, 0, 0), (${NAMES}, '${day}', ${MINUS_ONE}, 0, 0, 0)`,
    );
    expect(await differences()).to.deep.equal([]);
  });

  async function keysOf(table: string): Promise<unknown[]> {
    const columns = await world.query(
      `select name
       from system.columns
       where database = currentDatabase()
         and table = '${table}'
         and is_in_sorting_key`,
    );
    return columns.map(({ name }) => name);
  }

  /** What the engine of a table adds up, apart from maps. */
  async function sumsOf(table: string): Promise<string[]> {
    const [row] = await world.query(
      `select
         engine_full,
         (
           select groupArray(name)
           from system.columns
           where database = currentDatabase()
             and table = '${table}'
             and startsWith(type, 'SimpleAggregateFunction(sum,')
         ) as added
       from system.tables
       where database = currentDatabase()
         and name = '${table}'`,
    );
    const [, names] = /SummingMergeTree\(\(?([^)]*)/.exec(String(row?.['engine_full'])) ?? [];
    const added = names === undefined ? (row?.['added'] as string[]) : names.split(', '); // an array of names
    return added.filter((name) => !name.endsWith('Map'));
  }

  /** The rows of the block, and no others. */
  async function restore(): Promise<void> {
    for (const table of changed.splice(0)) {
      await run(`truncate table ${table}`);
      await run(`insert into ${table} select * from ${table}_of_block`, { insert_deduplicate: 0 });
    }
  }

  async function change(table: string, statement: string): Promise<void> {
    changed.push(table);
    await run(statement);
  }

  async function run(statement: string, settings: Parameters<typeof runStatement>[2] = {}): Promise<void> {
    await runStatement(world.clickhouse, statement, settings);
  }

  async function differences() {
    return findDifferences(await world.accounting()).map(({ subject, text }) => ({ subject, text }));
  }
});
