import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { type Service, readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { ask } from '../../../support/requests/ask.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import type { World } from '../../../support/world.ts';
import { type Front, createFront } from './front.ts';

/** What a client may say about itself, beside the headers that we write. */
const CLAIMS: readonly string[] = [
  'X-Forwarded-Port',
  'X-Forwarded-Prefix',
  'X-Forwarded-User',
  'X-Forwarded-Client-Cert',
  'Forwarded',
  'X-Real-IP',
  'X-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'Fastly-Client-IP',
  'X-Cluster-Client-IP',
  'X-Envoy-External-Address',
  'X-Original-URL',
  'X-Original-Method',
  'X-Original-Forwarded-For',
  'X-Rewrite-URL',
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Remote-User',
  'Remote-User',
  'X-Auth-Request-Email',
  'X-SSL-Client-Verify',
  'X_Forwarded_For',
  'X_Real_IP',
];
const OF_CLIENTS = {
  'x-request-id': 'a',
  'unleash-appname': 'b',
  'x-unleash-x': 'c',
  via: '1.1 d',
  cookie: 'e=f',
};

describe('the client that Unleash sees behind flagmeter', () => {
  let upstream: RawUpstream;
  let world: World;
  let front: Service;
  let dispose: Front['dispose'];
  let behindProxy: Service;
  before(async () => {
    ({ upstream, world, front, dispose } = await createFront({ env: { TRUST_PROXY: '192.0.2.0/24' } }));
    const trusting = readConfig({ ...world.env, TRUST_PROXY: '127.0.0.1,192.0.2.0/24' });
    behindProxy = await world.run((_, log) => startIngest(trusting, log));
  });
  after(() => dispose());

  /** The headers that reach Unleash. */
  async function pass({ url }: Service, headers: Record<string, string>): Promise<IncomingHttpHeaders> {
    expect((await ask(`${url}/auth/simple/login`, { headers })).status).to.equal(200);
    return upstream.arrivals.at(-1)?.headers ?? {};
  }
  const claims = Object.fromEntries(CLAIMS.map((name) => [name, `claimed ${name}`]));

  it('is the address of the connection, whatever a stranger says', async () => {
    const arrived = await pass(front, {
      'X-Forwarded-For': '203.0.113.7',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'evil.example',
      ...claims,
      ...OF_CLIENTS,
    });
    expect(arrived).to.include({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': new URL(front.url).host,
      ...OF_CLIENTS,
    });
    expect(JSON.stringify(arrived)).not.to.match(/claimed|203\.0|evil/);
  });

  it('is the client of a trusted proxy, with all that this proxy says', async () => {
    const said = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'flags.example', ...claims };
    const arrived = await pass(behindProxy, { 'X-Forwarded-For': '203.0.113.7', ...said });
    const expected = Object.entries(said).map(([name, value]) => [name.toLowerCase(), value]);
    expect(arrived).to.include({
      'x-forwarded-for': '203.0.113.7, 127.0.0.1',
      ...Object.fromEntries(expected),
    });
  });

  it('is not what a client wrote before a trusted proxy appended its address', async () => {
    const arrived = await pass(behindProxy, { 'X-Forwarded-For': '198.51.100.1, 203.0.113.7, 192.0.2.9' });
    expect(arrived['x-forwarded-for']).to.equal('203.0.113.7, 192.0.2.9, 127.0.0.1');
  });

  it('is the trusted proxy itself if that names nobody', async () => {
    const arrived = await pass(behindProxy, {});
    expect(arrived).to.include({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': new URL(behindProxy.url).host,
    });
  });

  it('cannot make flagmeter remove its headers by naming them in Connection', async () => {
    const named = 'close, X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host, X-Hop';
    for (const service of [front, behindProxy]) {
      const arrived = await pass(service, {
        Connection: named,
        'X-Forwarded-For': '203.0.113.7',
        'X-Hop': 'x',
      });
      expect(arrived).to.include.keys('x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host');
      expect(arrived).not.to.have.property('x-hop');
    }
  });
});
