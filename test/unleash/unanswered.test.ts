import { expect } from 'chai';
import { untilItLasts } from '../support/borders.ts';
import { type OwnUnleash, ownUnleash } from '../support/stack/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { runCli } from '../support/stack/processes/cli.ts';
import { readGauge } from '../support/stack/processes/gauges.ts';
import type { ServiceProcess } from '../support/stack/processes/process.ts';
import { type Fault, type LossyProxy, startLossyProxy } from '../support/stack/proxies/lossy-proxy.ts';
import { MIRRORED_FEATURES, sendBatches } from '../support/servers/upstream/mirrored-load.ts';
import { type World, createWorld } from '../support/world.ts';

type Comparison = { readonly code: number; readonly excess: { tooMany: number; tooFew: number } };

/** Every second post reaches Unleash, but its answer is lost. */
describe('a mirror that loses answers of a real Unleash', () => {
  let unleash: OwnUnleash;
  let world: World;
  let ingest: ServiceProcess;
  let wire: LossyProxy;

  beforeEach(async function () {
    this.timeout(300_000); // it may wait for the next hour
    unleash = await ownUnleash();
    for (const feature of MIRRORED_FEATURES) await unleash.createFeature(feature);
    wire = await startLossyProxy(() => unleash.address, everySecond('cut'));
    world = await createWorld({
      UNLEASH_URL: unleash.address,
      UNLEASH_ADMIN_TOKEN: unleash.secrets.admin,
      UNLEASH_MIRROR_TOKENS: `${unleash.secrets.production},${unleash.secrets.development}`,
    });
    [ingest] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
    await untilItLasts('hour', 120_000);
  });
  afterEach(async () => {
    await world.dispose();
    wire.close();
    await unleash.dispose();
  });

  itNightly('has Unleash count as many evaluations twice as the metric and compare-unleash say', async () => {
    const mirror = await world.fork('unleash-bridge', { UNLEASH_URL: wire.url });
    await mirrorBatches(mirror);
    const unanswered = await evaluations(mirror, 'unanswered');
    const comparison = await eventually(compare, ({ excess }) => excess.tooMany === unanswered, 90_000);

    expect(unanswered).to.be.greaterThan(0);
    expect(comparison).to.deep.include({ code: 1, excess: { tooMany: unanswered, tooFew: 0 } });
  });

  itNightly('has Unleash count everything once with UNLEASH_MIRROR_UNANSWERED=lose', async () => {
    const mirror = await world.fork('unleash-bridge', {
      UNLEASH_URL: wire.url,
      UNLEASH_MIRROR_UNANSWERED: 'lose',
    });
    const sent = await mirrorBatches(mirror);
    await eventually(compare, ({ code }) => code === 0, 90_000);

    expect(await evaluations(mirror, 'lost')).to.be.within(1, sent);
  });

  /** Returns the number of evaluations, once the mirror is done with each of them. */
  async function mirrorBatches(mirror: ServiceProcess): Promise<number> {
    await sendBatches(ingest, 20);
    await world.settled();
    const [row] = await world.query<{ total: string }>(
      'select sum(u.yes) + sum(u.no) as total from usage_by_hour as u',
    );
    const total = Number(row?.total ?? 0);
    await eventually(
      async () => (await evaluations(mirror, 'accepted')) + (await evaluations(mirror, 'lost')),
      (ended) => ended >= total,
      90_000,
    );
    return total;
  }

  async function compare(): Promise<Comparison> {
    const args = ['compare-unleash', '--json', '--hour', new Date().toISOString()];
    const { code, stdout } = await runCli(world, args);
    return { ...(JSON.parse(stdout) as Omit<Comparison, 'code'>), code }; // the command wrote it
  }
});

function evaluations(mirror: ServiceProcess, outcome: string): Promise<number> {
  return readGauge(mirror, `flagmeter_mirror_evaluations_total{outcome="${outcome}"}`);
}

function everySecond(fault: Fault): () => Fault {
  let requests = 0;
  return () => {
    requests += 1;
    return requests % 2 === 1 ? fault : 'none';
  };
}
