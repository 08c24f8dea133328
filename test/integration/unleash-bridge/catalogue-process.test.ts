import { expect } from 'chai';
import { createRegistry, readConfig } from '#base/runtime';
import { startUnleashBridge } from '../../../services/unleash-bridge/app.ts';
import {
  type CatalogueOptions,
  startCatalogue,
} from '../../../services/unleash-bridge/catalogue/start-catalogue.ts';
import { eventually } from '../../support/eventually.ts';
import { type CatalogueWorld, createCatalogueWorld } from '../../support/servers/upstream/catalogue-world.ts';
import { ADMIN_SECRET } from '../../support/servers/upstream/unleash-catalogue.ts';

const LAG = 'flagmeter_unleash_catalogue_lag_seconds';
const LAST_SUCCESS = 'flagmeter_unleash_catalogue_last_success_timestamp_seconds';

describe('the process of the catalogue sync', () => {
  let of: CatalogueWorld;
  beforeEach(async () => {
    of = await createCatalogueWorld();
    of.catalogue.create('basket');
  });
  afterEach(() => of.dispose());

  it('copies the catalogue, and reports the time of the copy and its maximum lag', async () => {
    const startedAt = Date.now() / 1000;
    const one = start();
    await eventually(
      () => one.read(LAST_SUCCESS),
      (seconds) => seconds >= startedAt,
    );
    expect(await one.read(LAG)).to.be.within(0, Date.now() / 1000 - startedAt);
    expect(await of.rowsOf('features', 'name')).to.deep.equal([{ name: 'basket' }]);
    await one.stop();
  });

  it('waits while another process copies, and reports the success of that process', async () => {
    const held: (() => void)[] = [];
    of.upstream.respond = (request, response) => {
      held.push(() => {
        of.catalogue.respond(request, response);
      });
    };
    const one = start();
    await eventually(
      () => Promise.resolve(of.upstream.requests.length),
      (count) => count > 0,
    );
    const other = start();
    await eventually(
      () => other.read('flagmeter_unleash_catalogue_rounds_total', { outcome: 'elsewhere' }),
      (count) => count > 0,
    );
    expect(of.upstream.requests).to.have.length(1);
    of.upstream.respond = of.catalogue.respond;
    for (const answer of held) answer();
    await eventually(
      () => other.read(LAST_SUCCESS),
      (seconds) => seconds > 0,
    );
    await Promise.all([one.stop(), other.stop()]);
  });

  it('counts failed rounds, and reports a growing lag', async () => {
    await of.upstream.close();
    const one = start();
    await eventually(
      () => one.read('flagmeter_unleash_catalogue_rounds_total', { outcome: 'failed' }),
      (count) => count > 1,
    );
    expect(await one.read(LAST_SUCCESS)).to.equal(0);
    expect(await one.read(LAG)).to.be.greaterThan(0);
    await one.stop();
    await of.upstream.reopen();
  });

  it('stops at once while Unleash is frozen', async () => {
    of.upstream.respond = () => undefined;
    const one = start();
    await eventually(
      () => Promise.resolve(of.upstream.requests.length),
      (count) => count > 0,
    );
    const startedAt = Date.now();
    await one.stop();
    // An answer would be awaited for twenty.
    expect(Date.now() - startedAt).to.be.lessThan(15_000);
  });

  it('retries only after the time that Unleash requests', async () => {
    of.upstream.respond = (_, response) => {
      response.writeHead(429, { 'retry-after': '1' }).end('Too many requests');
    };
    const startedAt = Date.now();
    const one = start();
    await eventually(
      () => Promise.resolve(of.upstream.requests.length),
      (count) => count > 1,
    );
    expect(Date.now() - startedAt).to.be.at.least(1000);
    await one.stop();
  });

  it('belongs to the unleash process, even without a mirror', async () => {
    const env = { ...of.world.env, UNLEASH_URL: of.upstream.url, UNLEASH_ADMIN_TOKEN: ADMIN_SECRET };
    let failure: unknown;
    const { url } = await of.world.run((_, log) =>
      startUnleashBridge(readConfig(env), log, (error) => {
        failure = error;
      }),
    );
    expect((await fetch(`${url}/ready`)).status).to.equal(200);
    await eventually(
      async () => (await fetch(`${url}/internal-backstage/prometheus`)).text(),
      (text) => /^flagmeter_unleash_catalogue_rounds_total\{outcome="changed"\} 1$/m.test(text),
    );
    expect(await of.rowsOf('features', 'name')).to.deep.equal([{ name: 'basket' }]);
    expect(failure).to.equal(undefined);
  });

  function start() {
    const registry = createRegistry();
    const options: CatalogueOptions = {
      unleash: { url: of.upstream.url, adminToken: ADMIN_SECRET },
      postgres: of.world.config.postgres,
      registry,
      log: of.world.log,
      pauseMs: 100,
    };
    return {
      ...startCatalogue(options),
      async read(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
        const metric = await registry.getSingleMetric(name)?.get();
        const sample = metric?.values.find((value) =>
          Object.entries(labels).every(([label, text]) => value.labels[label] === text),
        );
        return Number(sample?.value);
      },
    };
  }
});
