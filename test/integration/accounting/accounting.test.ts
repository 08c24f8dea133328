import { expect } from 'chai';
import type { AccountingDocument } from '#core/accounting';
import type { Service } from '#base/runtime';
import type { Throughput } from '../../../services/admin/usage/accounting/schema.ts';
import { startAdmin } from '../../../services/admin/app.ts';
import { askAccounting } from '../../support/admin-api/accounting.ts';
import { type Api, openApi } from '../../support/admin-api/admin.ts';
import { appendCounts } from '../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { type CliEnding, runCli, watchCli } from '../../support/stack/processes/cli.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import { aCounter } from '../../support/builders/builders.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { sharedCounting } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const SENDER = { 'idempotency-key': 'batch-1' };
const TOTAL = {
  received: 14,
  counted: 6,
  refused: 4,
  refusedByReason: { empty_name: 1, environment_not_allowed: 2, too_old: 1 },
  duplicate: 3,
  dead: 1,
  samples: { received: 4, counted: 1, refused: 1, duplicate: 2 },
  inFlight: 0,
  gaps: 0,
  overlaps: 0,
};
const SAMPLES = `map(${['received', 'counted', 'refused', 'duplicate'].map((name) => `'${name}', toUInt32(samples_${name})`).join(', ')})`;
const ACCOUNTING = '/api/admin/metrics/accounting';

describe('the accounting', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '2' });
  const ingest = sharedCounting(world);
  let admin: Service;
  let api: Api;

  before(async () => {
    admin = await world.run(startAdmin);
    api = await openApi(admin.url);
    const good = aFreshMetric({ yes: 1 });
    const impactMetrics = [aCounter(), aCounter({ type: 'summary' })];
    const twice = bodyOf({ metrics: [aFreshMetric({ yes: 3 }), good, good], impactMetrics });
    const refused = [
      aFreshMetric({ featureName: '' }),
      aFreshMetric({ environment: 'development' }),
      aFreshMetric({ environment: 'development' }),
      aFreshMetric({ timestamp: '1867-07-01T00:00:00Z' }),
    ];
    await post(ingest, { body: twice, headers: SENDER });
    await post(ingest, { body: twice, headers: SENDER });
    await post(ingest, { body: bodyOf({ metrics: [good, ...refused, good, good] }) });
    await appendCounts(world, ['not a message'], 1);
    await world.settled();
  });
  afterEach(() => forgetBlocksOfEpoch(0));

  it('shows the same numbers in CLI, view, API and Prometheus metrics', async () => {
    expectTable(await runCli(world, ['reconcile']));
    const { exitCode, output } = await callCli(world, 'reconcile', '--json');
    const { at: _cliAt, ...printed } = JSON.parse(output) as AccountingDocument;
    const { at: _apiAt, ...answered } = await askAccounting(api);
    expect(exitCode).to.equal(0);
    expect(printed.total).to.deep.equal(TOTAL);
    expect(printed).to.include({ isBalanced: true, since: null });
    expect(printed.differences).to.deep.equal([]);
    expect(answered).to.deep.equal(printed);
    expect(printed.partitions).to.have.length(2);
    expect(await rowsOfView()).to.deep.equal(
      printed.partitions
        .filter(({ blocks }) => blocks > 0)
        .map(({ inFlight: _inFlight, ...stored }) => stored),
    );
    // A scrape does not wait for slow engines. It shows the numbers of the last read.
    await eventually(
      () => gauge('readable'),
      (readable) => readable === 1,
    );
    expect(await gaugesOf()).to.deep.equal(printed.partitions.map(gaugesOfPartition));
    expect(await gauge('balanced')).to.equal(1);
  });

  it('adds up the minutes of the last hour, with their evaluations', async () => {
    const { minutes, at } = (await api.get('/api/admin/metrics/throughput')).body as Throughput;
    const sums = { received: 0, counted: 0, refused: 0, duplicate: 0, dead: 0, yes: 0, no: 0 };
    for (const { start: _start, ...minute } of minutes)
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += minute[name];
    const { received, counted, refused, duplicate, dead } = TOTAL;
    expect(sums).to.deep.equal({ received, counted, refused, duplicate, dead, yes: 8, no: 0 });
    expect(minutes).to.have.length(60);
    const starts = minutes.map(({ start }) => Date.parse(start));
    const first = starts[0] ?? 0;
    expect(starts).to.deep.equal(starts.map((_, minute) => first + minute * 60_000));
    expect(Date.parse(at) - first).to.be.within(59 * 60_000, 60 * 60_000 - 1);
  });

  it('adds up the minutes of up to a day', async () => {
    const { minutes } = (await api.get('/api/admin/metrics/throughput?hours=24')).body as Throughput;
    expect(minutes).to.have.length(1440);
    expect(minutes.reduce((sum, { received }) => sum + received, 0)).to.equal(TOTAL.received);
    expect((await api.get('/api/admin/metrics/throughput?hours=25')).status).to.equal(400);
  });

  it('may be limited to a time, and still shows the messages in flight', async () => {
    // A time long ago, and a day without any counts.
    await world.clickhouse.insert({
      table: 'blocks',
      format: 'JSONEachRow',
      values: [{ ...FIRST_EPOCH, topic: world.config.kafka.topics.counts, stored_at: '2026-09-01 00:00:00' }],
    });
    // An answer is shared for a second.
    await eventually(
      () => askAccounting(api),
      ({ total: { received } }) => received === TOTAL.received + 5,
    );
    const { output } = await callCli(world, 'reconcile', '--json', '--since', '1h');
    const { total, partitions } = JSON.parse(output) as AccountingDocument;
    expect(total).to.deep.equal(TOTAL);
    expect(partitions.map(({ epoch }) => epoch)).to.deep.equal([1, 1]);
    const since = new Date().toISOString();
    const now = await askAccounting(api, `?since=${since}`);
    expect(now.since).to.equal(since);
    expect(now.total).to.include({ received: 0, inFlight: 0 });
    expect(now.partitions.map(({ to }) => to)).to.deep.equal(partitions.map(({ to }) => to));
    for (const wrong of ['yesterday', '2099-01-01', '7w'])
      expect((await api.get(`${ACCOUNTING}?since=${wrong}`)).status, wrong).to.equal(400);
    expect(await runCli(world, ['reconcile', '--since', '7w'])).to.include({ code: 2, stdout: '' });
  });

  it('since a time covers the days that began since then, whatever the time of day', async () => {
    const { days } = await askAccounting(api);
    const day = days.at(-1)?.day ?? '';
    const daysSince = async (time: string): Promise<AccountingDocument['days']> =>
      (await askAccounting(api, `?since=${time}`)).days;
    expect(await daysSince(`${day}T00:00:00Z`)).to.deep.equal(days.filter((one) => one.day === day));
    expect(await daysSince(`${day}T00:00:00.001Z`)).to.deep.equal([]);
  });

  it('is watched until Ctrl-C, with the changes', async () => {
    const sendOne = async (): Promise<void> => {
      await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
      await world.settled();
    };
    const { code, lines } = await watchCli(world, ['reconcile', '--watch'], { lines: 2, then: sendOne });
    expect(code).to.equal(0);
    expect(lines[0]).to.match(/^UTC +received +counted +refused +duplicate +dead +in flight +result$/);
    expect(lines[1]).to.match(/^\d\d:\d\d:\d\d +14 +6 +4 +3 +1 +0 +agrees$/);
    expect(lines.join('\n')).to.match(/ 15 \(\+1\) +7 \(\+1\) .* agrees/);
  });

  itNightly('is watched as JSON', async () => {
    const once = { lines: 1, then: () => Promise.resolve() };
    const { lines } = await watchCli(world, ['reconcile', '--watch', '--json'], once);
    expect(lines.map((line) => (JSON.parse(line) as AccountingDocument).isBalanced)).to.include(true);
  });

  it('names the day and the partition that differ, with exit code 1', async () => {
    const day = new Date().toISOString().slice(0, 10);
    await world.clickhouse.insert({
      table: 'usage_daily',
      format: 'JSONEachRow',
      values: [{ feature_name: 'forged', environment: 'e', app_name: 'a', day, yes: 2, no: 0, reports: 1 }],
    });
    await world.clickhouse.insert({
      table: 'blocks',
      format: 'JSONEachRow',
      values: [
        { ...FIRST_EPOCH, topic: world.config.kafka.topics.counts, epoch: 2 },
        { ...FIRST_EPOCH, topic: world.config.kafka.topics.counts, epoch: 2, from_offset: 10, to_offset: 11 },
      ],
    });
    const { exitCode, output } = await callCli(world, 'reconcile');
    expect(exitCode).to.equal(1);
    expect(output).to.match(
      new RegExp(`${day} usage_daily: blocks say \\d+/0/0/\\d+, the table says \\d+/0/0/\\d+`),
    );
    expect(output).to.match(/counts\/0 \(epoch 2\): 1 gap between blocks/);
    expect(output).to.match(/The accounting differs: 2 differences\.$/);
    const { isBalanced, days } = await askAccounting(api);
    expect(isBalanced).to.equal(false);
    expect(days.filter((one) => !one.isBalanced).map(({ table }) => table)).to.deep.equal(['usage_daily']);
    expect(
      await world.query('select epoch, gaps, is_balanced from accounting where not is_balanced'),
    ).to.deep.equal([{ epoch: 2, gaps: '1', is_balanced: false }]);
    expect(
      await eventually(
        () => gauge('balanced'),
        (balanced) => balanced === 0,
      ),
    ).to.equal(0);
  });

  async function forgetBlocksOfEpoch(epoch: number): Promise<void> {
    await world.clickhouse.command({
      query: `alter table blocks delete where epoch = ${epoch} settings mutations_sync = 1`,
    });
  }

  function expectTable({ code, stdout }: CliEnding): void {
    expect(code).to.equal(0);
    const lines = stdout.split('\n');
    const table = lines.slice(0, 4);
    expect(new Set(table.map((line) => line.length)).size, stdout).to.equal(1);
    expect(table[0]).to.match(
      /^epoch +partition +received +counted +refused +duplicate +dead +in flight +gaps +overlaps$/,
    );
    expect(table[3]).to.match(/^ +total +14 +6 +4 +3 +1 +0 +0 +0$/);
    expect(lines).to.include('received = counted + refused + duplicate + dead: 14 = 6 + 4 + 3 + 1');
    expect(lines).to.include('  refused environment_not_allowed: 2');
    expect(lines).to.include(
      'samples of impact metrics: received = counted + refused + duplicate: 4 = 1 + 1 + 2',
    );
    expect(stdout).to.match(/The accounting agrees: .* on \d days?\.\n$/);
  }

  function rowsOfView(): Promise<unknown[]> {
    return world.query(
      `select
         topic,
         epoch,
         partition,
         toUInt32(blocks) as blocks,
         toUInt32(from_offset) as "from",
         toUInt32(to_offset) as "to",
         toUInt32(received) as received,
         toUInt32(counted) as counted,
         toUInt32(refused) as refused,
         cast(refused_by_reason, 'Map(String, UInt32)') as refusedByReason,
         toUInt32(duplicate) as duplicate,
         toUInt32(dead) as dead,
         ${SAMPLES} as samples,
         toUInt32(gaps) as gaps,
         toUInt32(overlaps) as overlaps,
         is_balanced as isBalanced
       from accounting
       order by topic, epoch, partition`,
    );
  }

  const OUTCOMES = ['received', 'counted', 'refused', 'duplicate', 'dead'] as const;
  const REASONS = ['empty_name', 'environment_not_allowed', 'too_old'];
  type Partition = AccountingDocument['partitions'][number];

  function gaugesOfPartition(partition: Partition): number[] {
    const { refusedByReason, inFlight, gaps, overlaps } = partition;
    const reasons = REASONS.map((reason) => refusedByReason[reason] ?? 0);
    return [...OUTCOMES.map((outcome) => partition[outcome]), ...reasons, inFlight, gaps, overlaps];
  }

  function gaugesOf(): Promise<number[][]> {
    return Promise.all(
      [0, 1].map((partition) => {
        const place = `epoch="1",partition="${partition}"`;
        return Promise.all([
          ...OUTCOMES.map((outcome) => gauge(`metrics{${place},outcome="${outcome}"}`)),
          ...REASONS.map((reason) => gauge(`refused_metrics{${place},reason="${reason}"}`)),
          ...['in_flight_messages', 'gaps', 'overlaps'].map((name) => gauge(`${name}{${place}}`)),
        ]);
      }),
    );
  }

  function gauge(name: string): Promise<number> {
    return readGauge(admin, `flagmeter_accounting_${name}`);
  }
});

const FIRST_EPOCH = { epoch: 0, partition: 0, from_offset: 0, to_offset: 5, received: 5, counted: 5 };
