import { expect } from 'chai';
import type { AccountingDocument } from '#core/accounting';
import type { Service } from '#base/runtime';
import { startAdmin } from '../../../services/admin/app.ts';
import { startIngest } from '../../../services/ingest/app.ts';
import { askAccounting } from '../../support/admin-api/accounting.ts';
import { openApi } from '../../support/admin-api/admin.ts';
import { readFailedAttempts } from '../../support/stories/faults/broken-view.ts';
import { addStrayRow, removeStrayRow } from '../../support/stack/engines/clickhouse/stray-row.ts';
import { eventually } from '../../support/eventually.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { type HalfStoring, startHalfStoring } from '../../support/stack/proxies/half-storing.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

/** One moment, so that all counts are of one day. */
const timestamp = new Date().toISOString();

describe('the accounting of a block that only some tables have', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let wire: HalfStoring;
  let ingest: Service;

  before(async () => {
    wire = await startHalfStoring(() => world.config.clickhouse.url);
    ingest = await world.run(startIngest);
    const worker = await world.fork('worker', { CLICKHOUSE_URL: wire.url });
    await send({ yes: 3 });
    await world.settled();
    await wire.storeHalves(world, async () => {
      await send({ yes: 5, no: 2, variants: { on: 5 } });
      await eventually(
        () => readFailedAttempts(worker, 'insert'),
        (failures) => failures > 0,
      );
    });
    await worker.kill();
  });
  after(() => {
    wire.close();
  });

  it('is shown as being stored by CLI and API, for as long as no worker completes it', async () => {
    const { exitCode, output } = await callCli(world, 'reconcile');
    expect(output).to.match(/^ {2}\d{4}-\d\d-\d\d usage_daily: 5\/2\/0\/1 being stored$/m);
    expect(output).to.match(/The accounting agrees: .*, apart from blocks that are being stored\.$/);
    expect(exitCode).to.equal(0);

    const api = await openApi((await world.run(startAdmin)).url);
    const { isBalanced, days, differences } = await askAccounting(api);
    expect({ isBalanced, differences }).to.deep.equal({ isBalanced: true, differences: [] });
    expect(sumsOf(days)).to.deep.equal({
      usage_hourly: {
        expected: ['8', '2', '0', '2'],
        stored: ['8', '2', '0', '2'],
        beingStored: ['0', '0', '0', '0'],
      },
      usage_daily: {
        expected: ['8', '2', '0', '2'],
        stored: ['3', '0', '0', '1'],
        beingStored: ['5', '2', '0', '1'],
      },
      variants_hourly: { expected: ['5'], stored: ['5'], beingStored: ['0'] },
      variants_daily: { expected: ['5'], stored: ['5'], beingStored: ['0'] },
      usage_minutely: {
        expected: ['8', '2', '0', '5', '2'],
        stored: ['8', '2', '0', '5', '2'],
        beingStored: ['0', '0', '0', '0', '0'],
      },
    });
  });

  it('does not hide a row too many in the same day and table', async () => {
    const day = await addStrayRow(world);
    const { exitCode, output } = await callCli(world, 'reconcile', '--json');
    const { differences, days } = JSON.parse(output) as AccountingDocument;
    expect(differences.map(({ subject }) => subject)).to.deep.equal([`${day} usage_daily`]);
    // The stray row is also one metric too many, so their number says nothing now.
    const { beingStored = [] } =
      sumsOf(days.filter((one) => one.day === timestamp.slice(0, 10)))['usage_daily'] ?? {};
    expect(beingStored.slice(0, 2)).to.deep.equal(['5', '2']);
    expect(exitCode).to.equal(1);
    await removeStrayRow(world);
  });

  it('agrees when another worker has completed it', async () => {
    await runWorker(world);
    await world.settled();
    const { exitCode, output } = await callCli(world, 'reconcile');
    expect(output).to.not.include('being stored');
    expect(exitCode).to.equal(0);
  });

  async function send(metric: Parameters<typeof aFreshMetric>[0]): Promise<void> {
    const { status } = await post(ingest, {
      body: bodyOf({ metrics: [aFreshMetric({ timestamp, ...metric })] }),
    });
    expect(status).to.equal(202);
  }
});

function sumsOf(days: AccountingDocument['days']) {
  return Object.fromEntries(
    days.map(({ table, expected, stored, beingStored }) => [table, { expected, stored, beingStored }]),
  );
}
