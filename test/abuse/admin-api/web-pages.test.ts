import { expect } from 'chai';
import { startAdmin } from '../../../services/admin/app.ts';
import { aFeature, sharedAdminWorld } from '../../support/admin-api/admin.ts';
import { askAsPage, foreignHosts, foreignOrigins } from '../../support/attacks/web-pages.ts';
import { collectLog } from '../../support/stack/processes/collected-log.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';
import { IN_A_MONTH } from '../../support/times.ts';

const WARNING = 40;

describe('a web page in a browser that reaches an admin API without authentication', () => {
  const world = sharedAdminWorld({ AUTH_TYPE: 'none', ADMIN_HOSTS: 'flags.example,Admin.Example' });
  before(() => aFeature(world.api, 'f'));

  const port = () => new URL(world.api.url).port;

  it('reads nothing under a host name that it points to this address', async () => {
    for (const host of foreignHosts(port()))
      expect(await askAsPage(world.api.url, { headers: { host } }), host).to.equal(403);
    for (const host of [
      'localhost',
      'LOCALHOST:1234',
      '127.0.0.1',
      '192.0.2.7:4242',
      '[::1]:4242',
      'flags.example:80',
      'admin.example',
    ])
      expect(await askAsPage(world.api.url, { headers: { host } }), host).to.equal(200);
  });

  it('changes nothing from another origin, even if the browser sends no preflight', async () => {
    const host = `localhost:${port()}`;
    const path = '/api/admin/projects/default/features/f/favorites';
    const change = (headers: Record<string, string>) =>
      askAsPage(world.api.url, { headers, method: 'POST', path });
    for (const origin of foreignOrigins(port())) expect(await change({ host, origin }), origin).to.equal(403);
    const { body } = await world.api.get('/api/admin/projects/default/features/f', { token: null });
    expect(body).to.include({ favorite: false });
    expect(await change({ host, origin: `http://${host}` })).to.equal(200);
  });

  it('gets no token that would outlast the page, and neither does anybody else', async () => {
    const { api } = world;
    const { body: user } = await api.post('/api/admin/user-admin', { username: 'ana', rootRole: 'Admin' });
    const { id } = user as { id: number };
    const personal = { description: 'x', expiresAt: IN_A_MONTH };
    const token = { tokenName: 'x', type: 'admin' };
    for (const [path, given] of [
      ['/api/admin/api-tokens', token],
      [`/api/admin/user-admin/${id}/tokens`, personal],
      ['/api/admin/user/tokens', personal],
    ] as const) {
      const answer = await api.post(path, given, { token: ADMIN_TOKEN });
      expect(answer.body, path).to.include({ name: 'NoAccessError' });
    }
  });

  it('is a risk that the log warns of at each start', async () => {
    const { log, lines } = collectLog();
    const service = await startAdmin(world.config, log);
    await service.stop();
    const warnings = lines().filter(({ level }) => Number(level) === WARNING);
    expect(warnings.map(({ msg }) => msg).join()).to.match(/^AUTH_TYPE is none: /);
  });
});
