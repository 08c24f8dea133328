import { expect } from 'chai';
import type { Registration } from '#tooling/traffic';
import type { Evaluations, Relay } from '../../../tools/relay/index.ts';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { startWorker } from '../../../services/worker/index.ts';
import { untilApplicationsHandled } from '../../support/stack/engines/kafka/topics.ts';
import { itNightly } from '../../support/nightly.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import { CLIENT_TOKEN, OTHER_CLIENT_TOKEN, type World, createWorld } from '../../support/world.ts';
import { aRelay, expectCounted } from './relays.ts';

const APPLICATIONS = 20;
const INSTANCES = 20_000;
const RELAYS = 4;
const WRITTEN = 'flagmeter_worker_registrations_total';
const SENT = 'flagmeter_ingest_registrations_total{outcome="sent"}';
const TOKENS = { production: CLIENT_TOKEN, development: OTHER_CLIENT_TOKEN };

describe('registrations of relays', () => {
  let world: World;
  let ingest: Service;
  let worker: Service;
  let relays: Relay[];
  beforeEach(async () => {
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '2' });
    ingest = await world.run(startIngest);
    worker = await world.run((config, log) => startWorker(config, log, failLoudly));
    relays = [];
  });
  afterEach(async () => {
    for (const relay of relays) relay.close();
    await world.dispose();
  });

  itNightly('of a fleet that restarts at once are cheap for Postgres, and none is lost', async () => {
    const start = Date.now();
    const fleet = Array.from({ length: RELAYS }, join);
    await restart(fleet);
    await untilApplicationsHandled(world);
    // Each once in a clock minute, although its relay names it in both environments, and up to a thousand per transaction.
    expect(await readGauge(worker, WRITTEN)).to.be.within(INSTANCES, INSTANCES * minutesSince(start));
    const first = await readInstances();
    expect(first.rows).to.equal(INSTANCES);
    expect(first.transactions).to.be.lessThan(100 * minutesSince(start));
    await restart(fleet);
    await untilApplicationsHandled(world);
    if (minutesSince(start) === 1) expect(await readInstances()).to.deep.equal(first);
    expect((await readInstances()).rows).to.equal(INSTANCES);
    expect(await readGauge(worker, WRITTEN)).to.be.within(INSTANCES, INSTANCES * minutesSince(start));
    expect(await countRows('client_applications')).to.equal(APPLICATIONS);
    expect(await countRows(`events where type = 'application-created'`)).to.equal(APPLICATIONS);
    expect(await instancesByRelay()).to.deep.equal(
      Object.fromEntries(fleet.map(({ connectionId }) => [connectionId, INSTANCES / RELAYS])),
    );
    await expectCounted(world, 'app-0', relays);
  });

  it('without an instance are one row, however often they are repeated', async () => {
    const start = Date.now();
    const relay = join();
    relay.register({ appName: 'nameless', startedAt: Date.now() });
    for (let push = 0; push < 20; push += 1) {
      relay.record({ ...evaluationsOf('nameless'), featureName: `feature-${push}` });
      await relay.push();
    }
    const sent = relay.ledger.deliveries.map(({ applications }) => applications);
    expect(sent).to.deep.equal(Array.from({ length: 20 }, () => 1));
    await untilApplicationsHandled(world);
    expect(await readGauge(worker, WRITTEN)).to.be.within(1, minutesSince(start));
    expect(await readGauge(ingest, SENT)).to.be.within(1, minutesSince(start));
    for (const table of ['client_applications', 'client_applications_usage', 'client_instances'])
      expect(await countRows(table), table).to.equal(1);
    await expectCounted(world, 'nameless', relays);
  });

  /** All SDKs register again, each to its relay. */
  async function restart(fleet: readonly Relay[]): Promise<void> {
    for (let index = 0; index < INSTANCES; index += 1) fleet[index % RELAYS]?.register(registration(index));
    for (const relay of fleet) {
      relay.record(evaluationsOf('app-0'));
      relay.record({ ...evaluationsOf('app-0'), environment: 'development' });
    }
    await Promise.all(fleet.map((relay) => relay.push()));
    const outcomes = fleet.flatMap(({ ledger }) => ledger.deliveries.map(({ outcome }) => outcome));
    expect(new Set(outcomes)).to.deep.equal(new Set(['acknowledged']));
  }

  function join(): Relay {
    // On a slow machine ingest needs longer for a whole fleet than the 5 s that Edge waits.
    const relay = aRelay(ingest.url, { tokens: TOKENS, timeoutMs: 60_000 });
    relays.push(relay);
    return relay;
  }

  /**
   * The number of applications, the number of transactions that wrote them, and a digest that changes with every new
   * write.
   */
  async function readInstances(): Promise<{ rows: number; transactions: number; digest: string }> {
    const { rows } = await world.db.query<{ rows: number; transactions: number; digest: string }>(
      `select
         count(*)::int as rows,
         count(distinct xmin::text)::int as transactions,
         md5(string_agg(ctid::text || xmin::text, ',' order by app_name, instance_id)) as digest
       from client_instances`,
    );
    return rows[0] ?? { rows: 0, transactions: 0, digest: '' };
  }

  /** The number of instances that each relay reported, by the id of the relay. */
  async function instancesByRelay(): Promise<Record<string, number>> {
    const { rows } = await world.db.query<{ relay: string; instances: number }>(
      `select connect_via -> 0 ->> 'instanceId' as relay, count(*)::int as instances
       from client_instances
       where platform_name = 'node'
       group by relay`,
    );
    return Object.fromEntries(rows.map(({ relay, instances }) => [relay, instances]));
  }

  async function countRows(table: string): Promise<number> {
    const { rows } = await world.db.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? 0;
  }
});

/** The number of clock minutes that a time from `start` until now touches. */
function minutesSince(start: number): number {
  return Math.floor(Date.now() / 60_000) - Math.floor(start / 60_000) + 1;
}

function evaluationsOf(appName: string): Evaluations {
  return { featureName: 'new-basket', appName, environment: 'production', at: Date.now(), yes: 1 };
}

function registration(index: number): Registration {
  const appName = `app-${index % APPLICATIONS}`;
  return {
    appName,
    environment: 'production',
    instanceId: `${appName}-${index}`,
    startedAt: Date.now(),
    strategies: ['default', 'flexibleRollout'],
    origin: { sdkVersion: 'unleash-client-node:6.7.0', sdkType: 'backend', platformName: 'node' },
  };
}

function failLoudly(error: unknown): void {
  throw error;
}
