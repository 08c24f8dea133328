import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { createBlocks, runStatement } from '#core/clickhouse';
import { aBlock } from '../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aCounter, aHistogram } from '../../support/builders/builders.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { sharedWorld } from '../../support/world.ts';

/** Adds nothing to the sum of a day if -1 is added as well: sums wrap at 2^64. */
const MINUS_ONE = '18446744073709551615';
const NAMES = "'new-basket', 'production', 'checkout'";
/** Those that the tests change. */
const TABLES = [
  'usage_hourly',
  'usage_daily',
  'variants_hourly',
  'variants_daily',
  'impact_hourly',
  'impact_daily',
  'reasons_hourly',
  'refusals_daily',
] as const;

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
    for (const table of TABLES) {
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

  for (const [table, time] of [
    ['usage_hourly', `${day} 00:00:00`],
    ['usage_daily', day],
  ] as const)
    it(`finds another number of metrics in ${table}`, async () => {
      await change(table, `insert into ${table} values (${NAMES}, '${time}', 0, 0, 0, 1)`);
      expect(await differences()).to.deep.equal([
        { subject: `${day} ${table}`, text: 'blocks say 3/0/4/1, the table says 3/0/4/2' },
      ]);
    });

  for (const [table, time] of [
    ['usage_hourly', `${day} 00:00:00`],
    ['usage_daily', day],
  ] as const)
    it(`finds another number of unknown results in ${table}`, async () => {
      await change(table, `insert into ${table} values (${NAMES}, '${time}', 0, 0, 1, 0)`);
      const [difference] = await differences();
      expect(difference?.text).to.match(/^blocks say 3\/0\/4\/1, the table says 3\/0\/5\/1/);
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

  it('finds a changed value of an impact metric', async () => {
    await change(
      'impact_daily',
      `insert into impact_daily (metric_name, app_name, day, samples, total) values ('purchases', 'checkout', '${day}', 0, 1)`,
    );
    expect(await differences()).to.deep.equal([
      { subject: `${day} impact_daily`, text: 'blocks say 19250000000/6/2, the table says 19250000001/6/2' },
    ]);
  });

  it('finds another number of evaluations with a reason', async () => {
    await change(
      'reasons_hourly',
      `insert into reasons_hourly (feature_name, environment, app_name, reason, hour, evaluations) values (${NAMES}, 'static', '${day} 00:00:00', 1)`,
    );
    const [difference] = await differences();
    expect(difference?.subject).to.equal(`${day} reasons_hourly`);
    expect(difference?.text).to.match(/^blocks say 7, the table says 8 \(/);
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

  /** The rows of the block, and no others. */
  async function restore(): Promise<void> {
    for (const table of changed.splice(0)) {
      await run(`truncate table ${table}`);
      await run(`insert into ${table} select * from ${table}_of_block`, { insert_deduplicate: 0 });
    }
  }

  async function change(table: (typeof TABLES)[number], statement: string): Promise<void> {
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
