import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createRandom } from '../../support/builders/random.ts';
import { startFrontendSdk } from '../../support/sdks/frontend-sdk.ts';
import { startNodeSdk } from '../../support/sdks/node-sdk.ts';
import { type Upstream, startUpstream } from '../../support/upstream/upstream.ts';
import { createRelay } from '#traffic';

const FEATURES = JSON.stringify({ version: 2, features: [] });
const TOGGLES = JSON.stringify({ toggles: [] });

describe('the members that relays and SDKs send', () => {
  let upstream: Upstream;
  before(async () => {
    upstream = await startUpstream(({ method, path }, response) => {
      const body = path.includes('/frontend') ? TOGGLES : FEATURES;
      response.writeHead(method === 'GET' ? 200 : 202, { 'content-type': 'application/json' });
      response.end(method === 'GET' ? body : '');
    });
    const { url } = upstream;
    const node = await startNodeSdk({ url, secret: '*:production.secret' });
    node.isEnabled('checkout');
    node.impact.defineCounter('purchases', 'Completed purchases');
    node.impact.defineHistogram('response_seconds', 'Response times');
    node.impact.incrementCounter('purchases');
    node.impact.observeHistogram('response_seconds', 0.1);
    await node.flush();
    const browser = await startFrontendSdk(url, '*:production.secret');
    browser.isEnabled('checkout');
    browser.impact.defineCounter('clicks', 'Clicks');
    browser.impact.incrementCounter('clicks');
    await browser.flush();
    await pushAsRelay(url);
  });
  after(() => upstream.close());

  for (const [path, body] of [
    ['/api/client/metrics', 'SDK metrics'],
    ['/api/frontend/client/metrics', 'SDK metrics'],
    ['/api/client/register', 'registration'],
    ['/api/client/metrics/bulk', 'relay'],
  ] as const)
    it(`are in the table of docs/use/adopt.md: ${path}`, () => {
      const sent = bodiesOf(path).flatMap(Object.keys);
      expect(sent).to.not.have.length(0);
      expect(sent.filter((member) => !documented(body).has(member))).to.deep.equal([]);
    });

  it('are in the table of docs/use/adopt.md: applications, metrics and impact metrics', () => {
    const lists = [...bodiesOf('/api/client/metrics/bulk'), ...bodiesOf('/api/client/metrics')];
    for (const [list, body] of [
      ['applications', 'registration'],
      ['metrics', 'metric'],
      ['impactMetrics', 'impact metric'],
    ] as const) {
      const items = lists.flatMap((sent) => (sent[list] ?? []) as object[]); // lists of objects, as read in the sources
      expect(items, list).to.not.have.length(0);
      expect(items.flatMap(Object.keys).filter((member) => !documented(body).has(member))).to.deep.equal([]);
      const samples = items.flatMap((item) => ('samples' in item ? (item.samples as object[]) : []));
      expect(
        samples.flatMap(Object.keys).filter((member) => !documented('sample').has(member)),
      ).to.deep.equal([]);
    }
  });

  function bodiesOf(path: string): Record<string, unknown>[] {
    const posts = upstream.requests.filter((request) => request.method === 'POST' && request.path === path);
    return posts.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }
});

/** The members that the table names for a body. */
function documented(body: string): Set<string> {
  const rows = readFileSync('docs/use/adopt.md', 'utf8').matchAll(
    /^\| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm,
  );
  const names = Array.from(rows).flatMap(([, bodies = '', members = '']) =>
    bodies.split(', ').includes(body)
      ? Array.from(members.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
      : [],
  );
  return new Set(names);
}

async function pushAsRelay(url: string): Promise<void> {
  const random = createRandom(1);
  const relay = createRelay({
    url,
    tokens: { production: '*:production.secret' },
    random: () => random.next(),
  });
  const place = { appName: 'shop', environment: 'production' };
  const origin = { sdkFlavor: 'openfeature', sdkFlavorVersion: '1.0.0' };
  relay.register({ ...place, instanceId: 'one', startedAt: 0, projects: ['default'], origin });
  relay.record({ ...place, featureName: 'checkout', at: Date.now(), yes: 1, origin });
  relay.addImpact('production', {
    type: 'counter',
    name: 'orders',
    help: 'Orders',
    samples: [{ value: 1, labels: {} }],
  });
  relay.seeToken('production', '*:production.another');
  await relay.push();
  relay.close();
}
