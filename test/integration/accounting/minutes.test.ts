import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { createBlocks, runStatement } from '#core/clickhouse';
import { readConfig } from '#base/runtime';
import { aBlock } from '../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { sharedWorld } from '../../support/world.ts';

describe('the retention of minutes', () => {
  const world = sharedWorld();
  const off = { RETENTION_MINUTELY_HOURS: '0' };
  const blocks = () => createBlocks(world.clickhouse);
  const block = (from: bigint, at = Date.now()) =>
    aBlock({
      from,
      batchId: `${from}`,
      metrics: [aFreshMetric({ yes: 1, timestamp: new Date(at).toISOString() })],
      receivedAt: at,
      appendedAt: at,
    });

  before(() => blocks().insert(block(0n)));

  it('deletes them and drops their view with 0 hours', async () => {
    expect(await minutes()).to.equal('1');
    const plan = await retention(off);
    expect(plan.output).to.match(/usage_minutely: kept shorter; deletes 2 rows of 1 day for ever\./);
    expect(await minutes()).to.equal('1');

    await retention(off, '--yes');
    expect(await minutes()).to.equal('0');
    expect(await viewOfMinutes()).to.deep.equal([]);
    expect((await retention(off)).output).to.include('All tables are as configured.');
  });

  it('stores none meanwhile, and the accounting compares none', async () => {
    await blocks().insert(block(1n));
    await blocks().complete(block(1n));
    await blocks().complete(block(2n));
    expect(await minutes()).to.equal('0');
    expect(findDifferences(await world.accounting())).to.deep.equal([]);
  });

  it('begins to keep them again, and compares the first whole day', async () => {
    await retention({ RETENTION_MINUTELY_HOURS: '24' }, '--yes');
    await blocks().complete(block(3n));
    expect(await minutes()).to.equal('1');
    expect(findDifferences(await world.accounting())).to.deep.equal([]);

    const later = Date.now() + 2 * 86_400_000;
    await blocks().insert(block(4n, later));
    expect(findDifferences(await world.accounting())).to.deep.equal([]);
    await runStatement(world.clickhouse, 'truncate table usage_minutely');
    const [{ subject } = { subject: '' }] = findDifferences(await world.accounting());
    expect(subject).to.match(/ usage_minutely$/);
  });

  async function minutes(): Promise<unknown> {
    const [row] = await world.query('select sum(u.yes) as yes from usage_by_minute as u');
    return row?.['yes'];
  }

  function viewOfMinutes() {
    return world.query(
      "select name from system.tables where database = currentDatabase() and name = 'usage_minutely_view'",
    );
  }

  function retention(settings: Record<string, string>, ...args: readonly string[]) {
    return callCli({ ...world, config: readConfig({ ...world.env, ...settings }) }, 'retention', ...args);
  }
});
