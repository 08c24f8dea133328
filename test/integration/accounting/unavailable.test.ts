import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { expect } from 'chai';
import { openAccounting } from '#core/accounting';
import type { Config } from '#base/runtime';
import { startAdmin } from '../../../services/admin/app.ts';
import { openApi } from '../../support/admin-api/admin.ts';
import { isNight } from '../../support/nightly.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { runCli } from '../../support/stack/processes/cli.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import { startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import { sharedWorld } from '../../support/world.ts';

const NOBODY = '127.0.0.1:9';
/** It is for each engine. The other one must keep it, however busy this machine is. */
const DEADLINE_MS = 10_000;

describe('the accounting without an engine', () => {
  const world = sharedWorld();
  let mute: Server;
  let muteAddress: string;
  const sockets: Socket[] = [];

  before(async () => {
    mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    muteAddress = `127.0.0.1:${(mute.address() as AddressInfo).port}`; // it listens on a port
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });

  it('is all zeros if nothing was ever sent', async () => {
    const { exitCode, output } = await callCli(world, 'reconcile');
    expect(exitCode).to.equal(0);
    expect(output).to.match(/total +0 +0 +0 +0 +0 +0 +0 +0\n/);
  });

  type Away = readonly [engine: string, problem: string, env: Record<string, string>];
  /** By day each engine and each problem once. */
  const AWAY: readonly Away[] = [
    ['ClickHouse', 'cannot be read', { CLICKHOUSE_URL: `http://${NOBODY}` }],
    ['Kafka', 'is not set up for flagmeter: run "flagmeter migrate"', { KAFKA_TOPIC_PREFIX: 'no_such' }],
  ];
  const AWAY_AT_NIGHT: typeof AWAY = [
    ['Kafka', 'cannot be read', { KAFKA_BROKERS: NOBODY }],
    [
      'ClickHouse',
      'is not set up for flagmeter: run "flagmeter migrate"',
      { CLICKHOUSE_DATABASE: 'no_such' },
    ],
  ];

  it('is not printed by the CLI, which prints the reason in a sentence and exits with code 2', async () => {
    const away = isNight() ? [...AWAY, ...AWAY_AT_NIGHT] : AWAY;
    const endings = await Promise.all(away.map(([, , env]) => runCli(world, ['reconcile', '--json'], env)));
    for (const [index, { code, stdout, stderr }] of endings.entries()) {
      const [engine, problem] = away[index] ?? [];
      expect(stderr).to.match(new RegExp(`^flagmeter: ${engine ?? ''} ${problem ?? ''}.*\n$`));
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
    }
  });

  const withClickHouse = (url: string): Config => ({
    ...world.config,
    clickhouse: { ...world.config.clickhouse, url: `http://${url}` },
  });
  const withKafka = (broker: string): Config => ({
    ...world.config,
    kafka: { ...world.config.kafka, brokers: [broker] },
  });

  for (const [engine, config] of [
    ['ClickHouse', withClickHouse],
    ['Kafka', withKafka],
  ] as const) {
    it(`is given up after the deadline when ${engine} does not answer`, async () => {
      const accounting = openAccounting(config(muteAddress), world.log, { deadlineMs: DEADLINE_MS });
      const error: unknown = await accounting.read().catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'accounting-unavailable' });
      expect(String(error)).to.include(engine);
      await accounting.close();
    });

    it(`returns 503, and only "readable 0" in a scrape, when ${engine} is down`, async () => {
      const admin = await world.run((_config, log) => startAdmin(config(NOBODY), log));
      const api = await openApi(admin.url);
      const answer = await api.get('/api/admin/metrics/accounting');
      expect(answer.status).to.equal(503);
      expect(answer.body).to.include({ name: 'ServiceUnavailable' });
      expect(answer.headers.get('retry-after')).to.equal('5');
      await readGauge(admin, 'flagmeter_accounting_readable');
      const text = await (await fetch(`${admin.url}/internal-backstage/prometheus`)).text();
      const shown = text.split('\n').filter((line) => line.startsWith('flagmeter_accounting_'));
      expect(shown).to.deep.equal(['flagmeter_accounting_readable 0']);
    });
  }

  /** How late each answer of a slow engine is. */
  const SLOW_MS = 1000;

  it('is given up after one deadline for all steps, although each engine keeps its own', async () => {
    const server = new URL(world.config.clickhouse.url);
    const slow = await startTcpProxy(() => Number(server.port));
    slow.delay(SLOW_MS);
    const accounting = openAccounting(withClickHouse(`127.0.0.1:${slow.port}`), world.log);
    // Three steps ask ClickHouse one after the other.
    const error: unknown = await accounting
      .readAgreed({ withinMs: 2 * SLOW_MS })
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'accounting-unavailable' });
    await accounting.close();
    await slow.close();
  });

  it('is given up without an answer of an engine, as soon as all steps together may take no longer', async () => {
    const deadlineMs = 3_600_000;
    const accounting = openAccounting(withClickHouse(muteAddress), world.log, { deadlineMs });
    const error: unknown = await accounting
      .readAgreed({ withinMs: SLOW_MS })
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'accounting-unavailable' });
    expect(String(error)).to.include('ClickHouse');
    await accounting.close();
  });
});
