import { expect } from 'chai';
import { readConfig } from '#base/runtime';
import { startStandalone } from '../../../../services/standalone/app.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { ask } from '../../../support/requests/ask.ts';
import { bodyOf } from '../../../support/requests/post.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type World } from '../../../support/world.ts';
import { type Front, createFrontProcess } from './front.ts';

const OF_UNLEASH: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/'],
  ['POST', '/'],
  ['GET', '/login'],
  ['GET', '/api/admin/features'],
  ['GET', '/docs/openapi/'],
  ['GET', '/docs/openapi.json'],
  ['GET', '/api/client/features'],
  ['GET', '/api/client/delta'],
  ['GET', '/api/frontend'],
  ['POST', '/api/frontend'],
  ['POST', '/api/client/metrics/edge'],
  ['POST', '/api/client/edge-licensing/heartbeat?connectionId=01JEDGE0000000000000000000'],
  ['POST', '/edge/issue-token'],
  ['GET', '/invite/x/signup'],
];

const OURS: readonly (readonly [method: string, path: string, status: number])[] = [
  ['POST', '/edge/metrics', 401],
  ['POST', '/EDGE/metrics/', 401],
  ['GET', '/edge/metrics', 405],
  ['POST', '/api/client/metrics', 401],
  ['POST', '/api/client/metrics/bulk', 401],
  ['DELETE', '/api/client/metrics/bulk', 405],
  ['POST', '/api/client/register', 401],
  ['POST', '/api/frontend/client/metrics', 401],
  ['POST', '/api/frontend/client/register', 401],
  ['OPTIONS', '/api/frontend/client/metrics', 204],
  ['GET', '/edge/validate', 405],
  ['GET', '/health', 200],
  ['OPTIONS', '/', 204],
  ['GET', '/healthz', 200],
  ['HEAD', '/livez', 200],
  ['GET', '/internal-backstage/health', 200],
  ['GET', '/internal-backstage/ready', 200],
  ['GET', '/ready', 200],
  ['GET', '/readyz', 200],
  ['GET', '/internal-backstage/prometheus', 200],
  ['GET', '/internal-backstage/impact/metrics', 404],
  ['GET', '/Internal-Backstage', 404],
];

describe('the ports of flagmeter start in front of an Unleash', () => {
  let upstream: RawUpstream;
  let world: World;
  let front: ServiceProcess;
  let dispose: Front['dispose'];
  let adminUrl: string;
  before(async () => {
    ({ upstream, world, front, dispose } = await createFrontProcess('standalone', {
      env: { ADMIN_PORT: '0' },
    }));
    adminUrl = front.adminUrl ?? '';
  });
  after(() => dispose());

  for (const [method, path] of OF_UNLEASH) {
    it(`PORT passes ${method} ${path} to Unleash`, async () => {
      const { status, body } = await ask(`${front.url}${path}`, { method });
      expect([status, body.toString()]).to.deep.equal([200, 'from upstream']);
      expect([upstream.arrivals.at(-1)?.method, upstream.arrivals.at(-1)?.url]).to.deep.equal([method, path]);
    });
  }

  for (const [method, path, status] of OURS) {
    it(`PORT answers ${method} ${path} itself`, async () => {
      const before = upstream.arrivals.length;
      expect((await ask(`${front.url}${path}`, { method })).status).to.equal(status);
      expect(upstream.arrivals.slice(before).map(({ url }) => url)).not.to.include(path);
    });
  }

  it('PORT may not be the default of ADMIN_PORT', async () => {
    const config = readConfig({ ...world.env, PORT: '4243', ADMIN_PORT: '' });
    const failure = await startStandalone(config, world.log).catch((error: unknown) => error);
    expect(String(failure)).to.include('PORT and ADMIN_PORT are both 4243: with UNLEASH_URL,');
  });

  it('PORT takes batches', async () => {
    const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };
    const question = { method: 'POST', headers, body: bodyOf() };
    expect((await ask(`${front.url}/edge/metrics`, question)).status).to.equal(202);
  });

  it('ADMIN_PORT serves the admin API, its documentation and health, and nothing of relays or Unleash', async () => {
    const headers = { authorization: ADMIN_TOKEN };
    const before = upstream.arrivals.length;
    expect((await ask(`${adminUrl}/api/admin/projects`, { headers })).status).to.equal(200);
    expect((await ask(`${adminUrl}/docs/openapi.json`)).status).to.equal(200);
    expect((await ask(`${adminUrl}/ready`)).status).to.equal(200);
    expect((await ask(`${adminUrl}/edge/metrics`, { method: 'POST', headers })).status).to.equal(404);
    expect((await ask(`${adminUrl}/api/client/features`, { headers })).status).to.equal(404);
    expect(upstream.arrivals.length).to.equal(before);
  });

  it('are both in the log', async () => {
    const log = await front.readLog();
    expect(log).to.include(`"url":"${front.url}","adminUrl":"${adminUrl}"`);
  });
});
