import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';
import { inheritedEnv } from '../../../tools/clock/inherited-env.ts';
import { FROM_SOURCES } from '../../../tools/run/from-sources.ts';
import { freePort, prepareEdge, prepareUnlessImpossible } from '../../../tools/stack/index.ts';
import { ownEdge } from '../../support/stack/engines/edge.ts';
import { itNightly } from '../../support/nightly.ts';
import { runNginx } from '../../support/stack/engines/nginx.ts';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { usageOf } from '../../support/stories/counting.ts';
import type { Front } from './front.ts';

const EDGE = readFileSync('examples/edge/compose.yaml', 'utf8');
const NGINX = readFileSync('examples/nginx/nginx.conf', 'utf8');
const PRINTED = '100 of 100 users get the new basket\n';

export function testExamples(front: () => Front): void {
  let unleash: Front['unleash'];
  let world: Front['world'];
  let flagmeter: Front['flagmeter'];
  before(async () => {
    ({ unleash, world, flagmeter } = front());
    await unleash.createFeature('new-basket');
    await unleash.untilServed('new-basket');
  });

  it('count the evaluations of a service with the Node SDK: examples/node-sdk', async () => {
    expect(await runShop(flagmeter.url)).to.equal(PRINTED);
    expect(await newlyCounted()).to.equal(100);
  });

  it('give metrics to flagmeter and the rest to Unleash: examples/nginx', async function () {
    const program = await prepareUnlessImpossible('nginx', 'examples/nginx');
    if (program === undefined) return this.skip();
    const url = `http://127.0.0.1:${await freePort()}`;
    const addresses = {
      '127.0.0.1:8080': url,
      '127.0.0.1:4242': flagmeter.url,
      '127.0.0.1:4243': unleash.address,
    };
    let config = NGINX;
    for (const [written, real] of Object.entries(addresses)) {
      expect(config).to.include(written);
      config = config.replace(written, new URL(real).host);
    }
    await runNginx(program, config, `${url}/health`);
    const passed = await flagmeterRequests();
    expect(await runShop(url)).to.equal(PRINTED);
    expect(await newlyCounted()).to.equal(100);
    expect(await flagmeterRequests()).to.equal(passed);
  });

  itNightly('count the evaluations of a service behind Edge: examples/edge', async function () {
    this.timeout(3_600_000); // the first run builds Edge
    await prepareEdge();
    const { services } = parse(EDGE) as { services: { edge: { environment: Record<string, unknown> } } };
    const values: Record<string, string> = {
      UPSTREAM_URL: flagmeter.url,
      CLIENT_TOKEN: unleash.secrets.production,
    };
    const settings = Object.entries(services.edge.environment).map(([name, written]) => [
      name,
      String(written).replace(/\$\{(\w+):\?[^}]*\}/, (_, variable: string) => values[variable] ?? ''),
    ]);
    const edge = await ownEdge(Object.fromEntries(settings) as Record<string, string>);
    expect(await runShop(edge.address)).to.equal(PRINTED);
    await edge.dispose(); // it sends what it has
    expect(await newlyCounted()).to.equal(100);
  });

  let counted = 0;
  /** Stored evaluations since the last call. */
  async function newlyCounted(): Promise<number> {
    await untilCounted(world);
    const { yes, no } = await usageOf(world, 'new-basket');
    const added = yes + no - counted;
    counted += added;
    return added;
  }

  /** How many requests flagmeter has passed to Unleash. */
  async function flagmeterRequests(): Promise<number> {
    const metrics = await (await fetch(`${flagmeter.url}/internal-backstage/prometheus`)).text();
    const samples = metrics.matchAll(/^flagmeter_pass_requests_total\{[^}]*\} (\d+)$/gm);
    return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** Returns what the example printed. */
  async function runShop(url: string): Promise<string> {
    const env = { ...inheritedEnv(), FLAGMETER_URL: url, CLIENT_TOKEN: unleash.secrets.production };
    const args = [...FROM_SOURCES, 'examples/node-sdk/shop.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
    return stdout;
  }
}
