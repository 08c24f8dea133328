import { expect } from 'chai';
import { startAdmin } from '../../../../services/admin/app.ts';
import { aFeature, aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { ask } from '../../../support/requests/ask.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const FEATURE = '/api/admin/projects/{projectId}/features/{featureName}';

/** Samples of a metric, as `{labels}` and value. */
async function samplesOf(url: string, metric: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/internal-backstage/prometheus`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`));
  return Object.fromEntries(
    lines.map((line) => [line.slice(metric.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

describe('the request metrics of the admin API', () => {
  const world = sharedAdminWorld();
  before(() => aFeature(world.api, 'f'));
  after(() => world.dispose());

  const requests = () => samplesOf(world.api.url, 'flagmeter_admin_requests_total');

  it('count requests by the template of the path, the method and the class of the status', async () => {
    const { api } = world;
    await api.get('/api/admin/projects/default/features/f');
    await api.get('/API/ADMIN/projects/default/features/g');
    await api.get('/api/admin/projects/default/features/f', { token: null });
    const counted = await eventually(requests, (now) => Object.keys(now).join().includes(`"${FEATURE}"`));
    expect(counted[`{route="${FEATURE}",method="GET",status="2xx"}`]).to.equal(1);
    expect(counted[`{route="${FEATURE}",method="GET",status="4xx"}`]).to.equal(2);
    const seconds = await samplesOf(api.url, 'flagmeter_admin_request_seconds_count');
    expect(seconds[`{route="${FEATURE}",method="GET"}`]).to.equal(3);
  });

  it('have one label for all paths without a route and one for rare methods', async () => {
    const { api } = world;
    const before = Object.keys(await requests()).length;
    for (let index = 0; index < 50; index += 1) await api.get(`/api/admin/no-${index}/secret-name`);
    for (const method of ['PATCH', 'OPTIONS', 'PROPFIND', 'MKCOL', 'PURGE', 'REPORT'])
      await api.call(method, `/api/admin/projects`);
    const counted = await eventually(
      requests,
      (now) => (now['{route="none",method="other",status="4xx"}'] ?? 0) >= 4,
    );
    expect(counted['{route="none",method="GET",status="4xx"}']).to.equal(50);
    expect(Object.keys(counted).length - before).to.equal(4);
    expect(Object.keys(counted).join()).not.to.contain('secret-name');
  });

  it('leave out health checks and scrapes', async () => {
    await fetch(`${world.api.url}/health`);
    expect(Object.keys(await requests()).join()).not.to.match(/health|backstage/);
  });
});

describe('the access log of the admin API', () => {
  const world = sharedAdminWorld({ ADMIN_ACCESS_LOG: 'true' });
  after(() => world.dispose());

  it('names route, status, time, bytes, caller and ids, and no path, query or credential', async () => {
    const { log, lines } = collectLog();
    const service = await startAdmin(world.config, log);
    const requests = () => lines().filter(({ msg }) => msg === 'admin request');
    try {
      const vera = await aUser(world.api, 'Viewer', 'vera');
      const headers = { authorization: vera.token, 'x-request-id': 'click-17', traceparent: TRACE };
      const projects = `${service.url}/api/admin/projects`;
      await ask(`${projects}/default/features/hidden-name`, { headers });
      await ask(`${service.url}/api/admin/events?project=hidden-query`, {
        headers: { authorization: ADMIN_TOKEN, 'x-request-id': ADMIN_TOKEN, traceparent: 'hidden-trace' },
      });
      await ask(`${service.url}/api/admin/hidden-path`, { method: 'POST', body: 'hidden-body' });
      await ask(projects, { headers: { authorization: 'user:hidden-secret' } });
      await ask(`${service.url}/health`);
      await eventually(
        () => Promise.resolve(requests()),
        (now) => now.length === 4,
      );
      const [missing, events, none, unknown] = requests();
      expect(missing).to.include({ route: FEATURE, method: 'GET', status: 404, userId: vera.id });
      expect(missing).to.include({ requestId: 'click-17', traceparent: TRACE, isComplete: true, level: 30 });
      expect(missing?.['bytes']).to.be.within(200, 5000);
      expect(missing?.['ms']).to.be.a('number');
      expect(events).to.include({ route: '/api/admin/events', status: 200, userId: -42 });
      expect(events?.['tokenId']).to.match(/^[\da-f-]{36}$/);
      expect(events).not.to.have.any.keys('requestId', 'traceparent');
      expect(none).to.include({ route: 'none', method: 'POST', status: 404 });
      expect(unknown).to.include({ route: '/api/admin/projects', status: 401 });
      expect(unknown).not.to.have.any.keys('userId', 'tokenId');
      const text = JSON.stringify(lines());
      for (const secret of ['hidden', vera.token, ADMIN_TOKEN]) expect(text).not.to.contain(secret);
    } finally {
      await service.stop();
    }
  });

  it('is off by default', async () => {
    const { log, lines } = collectLog();
    const config = { ...world.config, admin: { ...world.config.admin, hasAccessLog: false } };
    const service = await startAdmin(config, log);
    try {
      expect((await ask(`${service.url}/api/admin/projects`)).status).to.equal(401);
    } finally {
      await service.stop();
    }
    expect(lines().map(({ msg }) => msg)).to.include('listening');
    expect(lines().map(({ msg }) => msg)).not.to.include('admin request');
  });
});
