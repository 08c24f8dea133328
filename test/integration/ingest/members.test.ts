import type { ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { prepareEdge } from '../../../tools/stack/index.ts';
import { createRandom } from '../../support/builders/random.ts';
import { ownEdge } from '../../support/stack/engines/edge.ts';
import { isNight } from '../../support/nightly.ts';
import { sendAsSdks } from '../../support/senders/sdks/send-as-sdks.ts';
import {
  type Upstream,
  type UpstreamRequest,
  startUpstream,
} from '../../support/servers/upstream/upstream.ts';
import { createRelay } from '../../../tools/relay/index.ts';

const FEATURES = JSON.stringify({ version: 2, features: [] });
const SECRETS = { production: '*:production.secret', frontend: '*:production.browser' };
const TOGGLES = JSON.stringify({ toggles: [] });

describe('the members that relays and SDKs send', () => {
  let upstream: Upstream;
  before(async function () {
    upstream = await startUpstream(answer);
    await sendAsSdks(upstream.url, SECRETS);
    await pushAsRelay(upstream.url);
    if (!isNight()) return;
    this.timeout(3_600_000); // the first run builds Edge
    await prepareEdge();
    const edge = await ownEdge({ UPSTREAM_URL: upstream.url, TOKENS: SECRETS.production });
    await sendAsSdks(edge.address, SECRETS);
    await edge.dispose(); // now it sends
  });
  after(() => upstream.close());

  for (const [path, body] of [
    ['/api/client/metrics', 'SDK metrics'],
    ['/api/frontend/client/metrics', 'SDK metrics'],
    ['/api/client/register', 'registration'],
    ['/api/client/metrics/bulk', 'relay'],
    ...(isNight() ? ([['/api/client/metrics/edge', 'relay report']] as const) : []),
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

function answer({ method, path, body }: UpstreamRequest, response: ServerResponse): void {
  response.writeHead(method === 'GET' || path === '/edge/validate' ? 200 : 202, {
    'content-type': 'application/json',
  });
  if (method === 'GET') response.end(path.includes('/frontend') ? TOGGLES : FEATURES);
  else response.end(path === '/edge/validate' ? validated(body) : '');
}

function validated(body: string): string {
  const { tokens } = JSON.parse(body) as { tokens: string[] };
  const known = { projects: ['*'], environment: 'production' };
  return JSON.stringify({
    tokens: tokens.map((token) => ({
      token,
      type: token === SECRETS.production ? 'client' : 'frontend',
      ...known,
    })),
  });
}

async function pushAsRelay(url: string): Promise<void> {
  const random = createRandom(1);
  const relay = createRelay({
    url,
    tokens: { production: SECRETS.production },
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
