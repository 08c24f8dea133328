import { expect } from 'chai';
import type { Relay } from '../../../tools/relay/index.ts';
import { startStandalone } from '../../../services/standalone/app.ts';
import { startWorker } from '../../../services/worker/index.ts';
import { type Api, openApi } from '../../support/admin-api/admin.ts';
import { eventually } from '../../support/eventually.ts';
import { type TcpProxy, startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import { usageOf } from '../../support/stories/counting.ts';
import { CLIENT_TOKEN, OTHER_CLIENT_TOKEN, sharedWorld } from '../../support/world.ts';
import { aRelay, expectCounted } from './relays.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BOTH = { production: CLIENT_TOKEN, development: OTHER_CLIENT_TOKEN };

describe('relays on a real system', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '2' });
  let api: Api;
  let wire: TcpProxy;
  let relays: Relay[];
  before(async () => {
    const { url } = await world.run(startStandalone);
    await world.run((config, log) => startWorker(config, log, failLoudly));
    api = await openApi(url);
    wire = await startTcpProxy(() => Number(new URL(url).port));
  });
  after(() => wire.close());
  beforeEach(() => {
    relays = [];
  });
  afterEach(() => {
    for (const relay of relays) relay.close();
  });

  function join(options: Parameters<typeof aRelay>[1] = {}): Relay {
    const relay = aRelay(api.url, options);
    relays.push(relay);
    return relay;
  }

  function outcomes(): Set<string> {
    return new Set(relays.flatMap(({ ledger }) => ledger.deliveries.map(({ outcome }) => outcome)));
  }

  /** The evaluations of an application in one hour: 40 features in both environments, every fourth with variants. */
  function recordHour(relay: Relay, appName: string, at: number): void {
    for (let index = 0; index < 40; index += 1) {
      const variants = index % 4 === 0 ? { blue: index + 1, red: 2 } : {};
      for (const environment of ['production', 'development']) {
        const evaluations = { featureName: `feature-${index}`, appName, environment, variants };
        relay.record({ ...evaluations, at, yes: index + 3, no: 1 });
      }
    }
  }

  it('have a normal day: everything is counted in its hour, in bodies of at most 95 KiB', async () => {
    const relay = join({ tokens: BOTH });
    const now = Date.now();
    const over = new AbortController();
    const running = relay.run(50, over.signal);
    relay.register({ appName: 'day', instanceId: 'day-1', startedAt: now, projects: ['default'] });
    for (let hour = 23; hour >= 0; hour -= 1) recordHour(relay, 'day', now - hour * HOUR_MS);
    await eventually(
      () => Promise.resolve(relay.ledger.deliveries.filter(({ outcome }) => outcome === 'acknowledged')),
      (delivered) => delivered.length >= 4,
    );
    recordHour(relay, 'day', now);
    over.abort();
    await running;
    expect(outcomes()).to.deep.equal(new Set(['acknowledged']));
    expect(Math.max(...relay.ledger.deliveries.map(({ sizeBytes }) => sizeBytes))).to.be.within(
      90_000,
      97_280,
    );
    await expectCounted(world, 'day', relays);
    await eventually(
      () => world.db.query(`select 1 from client_instances where app_name = 'day'`),
      ({ rows }) => rows.length === 1,
    );
  });

  it('lose answers; their repeated batches are counted once', async () => {
    const relay = aRelay(`http://127.0.0.1:${wire.port}`, { timeoutMs: 5000 });
    relays.push(relay);
    wire.swallowAnswers();
    recordHour(relay, 'swallowed', Date.now());
    const pushed = relay.push();
    await wire.swallowed();
    await wire.mend();
    await pushed;
    const [delivery] = relay.ledger.deliveries;
    expect(delivery?.attempts.length).to.be.greaterThan(1);
    expect(outcomes()).to.deep.equal(new Set(['acknowledged', 'dropped']));
    const { total: before } = await world.settled();
    expect(before.duplicate).to.be.at.least(40);
    await expectCounted(world, 'swallowed', relays);
  });

  it('with identical bodies are all counted: ten send the same bytes', async () => {
    const at = Date.now();
    for (let index = 0; index < 10; index += 1) recordHour(join(), 'equal', at);
    await Promise.all(relays.map((relay) => relay.push()));
    await expectCounted(world, 'equal', relays);
    const [row] = await world.query<{ reports: string }>(
      `select toString(sum(u.reports)) as reports from usage_by_hour as u where app_name = 'equal'`,
    );
    expect(row?.reports).to.equal('400');
  });

  it('have wrong clocks: metrics beyond the limits are refused with a reason, others are counted in their hour', async () => {
    const { total: before } = await world.settled();
    const now = Date.now();
    const offsets = { 'days-ahead': 3 * DAY_MS, 'hours-ahead': 15 * HOUR_MS, 'months-behind': -45 * DAY_MS };
    for (const [featureName, offsetMs] of Object.entries(offsets))
      join().record({
        featureName,
        appName: 'skewed',
        environment: 'production',
        at: now + offsetMs,
        yes: 5,
      });
    const within = join();
    for (const [featureName, offsetMs] of [
      ['hours-off', 13 * HOUR_MS],
      ['days-behind', -29 * DAY_MS],
    ] as const)
      within.record({
        featureName,
        appName: 'in-limits',
        environment: 'production',
        at: now + offsetMs,
        yes: 7,
      });
    await Promise.all(relays.map((relay) => relay.push()));
    expect(outcomes()).to.deep.equal(new Set(['acknowledged']));
    await expectCounted(world, 'in-limits', relays);
    expect(await usageOf(world, 'days-ahead')).to.include({ reports: 0 });
    expect(
      await world.query(
        `select feature_name, reason, toUInt32(sum(r.count)) as count
         from refusals as r
         where app_name = 'skewed'
         group by feature_name, reason
         order by feature_name`,
      ),
    ).to.deep.equal([
      { feature_name: 'days-ahead', reason: 'in_the_future', count: 1 },
      { feature_name: 'hours-ahead', reason: 'in_the_future', count: 1 },
      { feature_name: 'months-behind', reason: 'too_old', count: 1 },
    ]);
    const { total } = await world.settled();
    // A relay that waits too long for its answer sends again.
    const repeated = total.duplicate - before.duplicate;
    expect(total.received - before.received - repeated).to.equal(5);
    expect(total.counted - before.counted).to.equal(2);
    expect(total.refused - before.refused).to.equal(3);
  });

  it('serve two environments, and send nothing for which they have no token', async () => {
    const relay = join({ tokens: BOTH });
    recordHour(relay, 'both', Date.now());
    relay.record({ featureName: 'f', appName: 'both', environment: 'staging', at: Date.now(), yes: 1 });
    await relay.push();
    const environments = relay.ledger.deliveries.map(({ environment, outcome }) => [environment, outcome]);
    expect(environments).to.deep.equal([
      ['production', 'acknowledged'],
      ['development', 'acknowledged'],
      ['staging', 'dropped'],
    ]);
    await expectCounted(world, 'both', relays);
  });

  it('get new tokens one after another before the old one is revoked, and nothing is lost', async () => {
    const create = async (): Promise<{ id: string; secret: string }> => {
      const body = { tokenName: 'rotated', type: 'client', environment: 'production' };
      return (await api.post('/api/admin/api-tokens', body)).body as { id: string; secret: string };
    };
    const old = await create();
    const record = (relay: Relay): void => {
      relay.record({
        featureName: 'f',
        appName: 'rotated',
        environment: 'production',
        at: Date.now(),
        yes: 1,
      });
    };
    const start = (secret: string): { relay: Relay; stop: () => Promise<void> } => {
      const relay = join({ tokens: { production: secret } });
      const over = new AbortController();
      const running = relay.run(20, over.signal);
      record(relay);
      const stop = async (): Promise<void> => {
        record(relay);
        over.abort();
        await running;
      };
      return { relay, stop };
    };
    const before = [start(old.secret), start(old.secret), start(old.secret)];
    const fresh = await create();
    const after: typeof before = [];
    for (const { relay, stop } of before) {
      after.push(start(fresh.secret));
      record(relay);
      await stop();
    }
    await api.delete(`/api/admin/api-tokens/${old.id}`);
    const late = join({ tokens: { production: old.secret } });
    record(late);
    await late.push();
    await Promise.all(after.map(({ stop }) => stop()));
    expect(late.ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['dropped']);
    const others = relays.filter((relay) => relay !== late).flatMap(({ ledger }) => ledger.deliveries);
    expect(new Set(others.map(({ outcome }) => outcome))).to.deep.equal(new Set(['acknowledged']));
    await expectCounted(world, 'rotated', relays);
    expect(await usageOf(world, 'f')).to.include({ yes: 15 });
  });
});

function failLoudly(error: unknown): void {
  throw error;
}
