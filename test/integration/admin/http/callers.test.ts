import { request } from 'node:http';
import { expect } from 'chai';
import {
  type Api,
  aFeature,
  aUser,
  sharedAdminWorld,
  exampleCalls,
  runAdmin,
} from '../../../support/admin-api/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import { isNight, someByDay } from '../../../support/nightly.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../support/world.ts';

describe('callers of the admin API', () => {
  const world = sharedAdminWorld();

  it('without a valid credential get 401 from every operation, with the scheme of the credential', async () => {
    const { api } = world;
    const tokens = ['nonsense', '*:*.unknown', `Basic ${ADMIN_TOKEN}`, 'user:0123', '*:*.\u00e9'];
    for (const [index, { method, path }] of exampleCalls(api).entries()) {
      for (const token of [null, ...inTurn(tokens, index)]) {
        const { status, body, headers } = await api.call(method, path, { token });
        expect(status, `${method} ${path} ${String(token)}`).to.equal(401);
        expect(body).to.include({ name: 'AuthenticationRequired' });
        expect(headers.get('www-authenticate'), `${method} ${path}`).to.equal('Bearer realm="flagmeter"');
      }
    }
  });

  it('with a CLIENT or FRONTEND token get 403 from every operation', async () => {
    const { api } = world;
    for (const [index, { method, path }] of exampleCalls(api).entries()) {
      for (const token of inTurn([CLIENT_TOKEN, FRONTEND_TOKEN], index)) {
        const { status, body } = await api.call(method, path, { token });
        expect(status, `${method} ${path}`).to.equal(403);
        expect(body).to.include({ name: 'NoAccessError' });
      }
    }
  });

  it('with another content type, a broken body or too large a body get 415, 400 or 413', async () => {
    const { api } = world;
    for (const { id, method, path, body } of someByDay(exampleCalls(api), 1 / 3)) {
      if (body === undefined) continue;
      const place = `${method} ${path}`;
      const wrong = await api.call(method, path, {
        rawBody: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      expect(wrong.body, place).to.include({ name: 'ContentTypeerror' });
      expect((await api.call(method, path, { rawBody: '{' })).body, place).to.include({
        name: 'ValidationError',
      });
      const nul = await api.call(method, path, { rawBody: '{"name":"a\\u0000"}' });
      expect(nul.body, place).to.include({ name: 'ValidationError', message: 'must not hold NUL' });
      const half = await api.call(method, path, { rawBody: '{"name":"a\\ud83e"}' });
      expect(half.body, place).to.include({ message: 'must not hold half of a surrogate pair' });
      const deep = await api.call(method, path, { rawBody: '['.repeat(5000) + ']'.repeat(5000) });
      expect(deep.body, place).to.include({ name: 'ValidationError' });
      // Its limit is another one, which its own tests try.
      if (id === 'pushCodeReferences') continue;
      const large = await api.call(method, path, { rawBody: `"${'x'.repeat(102_401)}"` });
      expect(large.body, place).to.include({ name: 'ContentTooLarge' });
    }
  });

  it('with hostile path parameters get 404 or an empty list, and never 500', async () => {
    const { api } = world;
    const hostile = [
      '%00',
      // Longer than any name, and short enough for four of them in one path.
      'x'.repeat(3000),
      'a%2Fb',
      '%2E%2E',
      '%F0%9F%92%A9',
      "'%3B--",
      '%ED%A0%80',
    ];
    const paths = Object.entries(api.document.paths).filter(([template]) => template.includes('{'));
    for (const [index, [template, methods]] of someByDay(paths, 1 / 3).entries()) {
      for (const text of ['a%00b', ...inTurn(hostile, index)]) {
        for (const method of Object.keys(methods)) {
          const path = template.replaceAll(/\{\w+\}/g, text);
          const { status } = await api.call(method.toUpperCase(), path);
          const isBody = ['post', 'put'].includes(method);
          // The client resolves `..` at the end of a path, so that the request goes to its parent.
          const ofParent = text === '%2E%2E' ? [405] : [];
          expect(status, `${method} ${path.slice(0, 100)}`).to.be.oneOf([
            ...(isBody ? [400, 404, 415] : [200, 400, 404]),
            ...ofParent,
          ]);
        }
      }
    }
  });

  it('get 404 for things that do not exist, whatever the operation', async () => {
    const { api } = world;
    const request = '/api/admin/projects/default/change-requests/999';
    const missing = [
      ['PUT', `${request}/state`, { state: 'In review' }],
      ['PUT', `${request}/title`, { title: 'x' }],
      ['POST', `${request}/comments`, { text: 'x' }],
      ['DELETE', request, undefined],
      ['DELETE', `${request}/changes/1`, undefined],
      ['PUT', `${request}/changes/1`, { action: 'archiveFeature' }],
      [
        'PUT',
        '/api/admin/projects/nowhere/environments/production/change-requests/config',
        { requiredApprovals: 2 },
      ],
      ['PUT', '/api/admin/user-admin/999', { rootRole: 'Viewer' }],
      ['DELETE', '/api/admin/user-admin/-42', undefined],
      ['PUT', '/api/admin/strategies/nothing', { parameters: [] }],
    ] as const;
    for (const [method, path, body] of missing) {
      expect((await api.call(method, path, { body })).body, path).to.include({ name: 'NotFoundError' });
    }
  });

  it('that climb out of a path find nothing', async () => {
    const { api } = world;
    for (const path of [
      '/api/admin/archive/..',
      '/api/admin/events/../../health',
      '/api/admin/archive/./..',
      '/api/admin//archive/f',
    ]) {
      expect(await rawStatus(api.url, path), path).to.be.oneOf([200, 404, 405]);
      expect(await rawStatus(api.url, path, 'DELETE'), path).to.be.oneOf([404, 405]);
    }
    for (const path of ['/api/admin/archive/%zz', '/api/admin/archive/%ff', '/api/admin\\archive/f'])
      expect(await rawStatus(api.url, path, 'DELETE'), path).to.equal(400);
  });

  it('get 404 at other paths, and 405 for other methods', async () => {
    const { api } = world;
    expect((await api.get('/api/admin/nothing')).body).to.include({ name: 'NotFoundError' });
    const rejected = await api.call('PATCH', '/api/admin/feedback');
    expect(rejected.status).to.equal(405);
    expect(rejected.headers.get('allow')).to.contain('GET');
    expect(rejected.body).to.include({ name: 'MethodNotAllowed' });
  });

  it('may do what their root role allows', async () => {
    const { api } = world;
    const [admin, editor, viewer] = await Promise.all([
      aUser(api, 'Admin', 'ada'),
      aUser(api, 'Editor', 'edda'),
      aUser(api, 'Viewer', 'vera'),
    ]);
    const statuses = (method: string, path: string, body?: unknown) =>
      Promise.all(
        [admin, editor, viewer].map(
          async ({ token }) => (await api.call(method, path, { token, body })).status,
        ),
      );
    expect(await statuses('GET', '/api/admin/strategies')).to.deep.equal([200, 200, 200]);
    expect(await statuses('GET', '/api/admin/feedback')).to.deep.equal([200, 200, 200]);
    expect(await statuses('GET', '/api/admin/events/f')).to.deep.equal([200, 200, 200]);
    expect(await statuses('GET', '/api/admin/events')).to.deep.equal([200, 403, 403]);
    expect(await statuses('GET', '/api/admin/api-tokens')).to.deep.equal([200, 403, 403]);
    expect(await statuses('GET', '/api/admin/user-admin')).to.deep.equal([200, 403, 403]);
    expect(await statuses('DELETE', '/api/admin/archive/nothing')).to.deep.equal([404, 404, 403]);
    const bearer = await api.get('/api/admin/strategies', { token: `Bearer ${viewer.token}` });
    expect(bearer.status).to.equal(200);
  });

  it('lose their rights with their role, their token or their user', async () => {
    const { api } = world;
    const { id, token } = await aUser(api, 'Admin', 'dora');
    const status = async () => (await api.get('/api/admin/api-tokens', { token })).status;
    expect(await status()).to.equal(200);
    expect((await api.put(`/api/admin/user-admin/${id}`, { rootRole: 'Viewer' })).status).to.equal(200);
    await eventually(status, (now) => now === 403);
    expect((await api.delete(`/api/admin/user-admin/${id}`)).status).to.equal(200);
    await eventually(status, (now) => now === 401);
    expect((await api.delete(`/api/admin/user-admin/${id}`)).status).to.equal(404);
    expect(
      (await api.post('/api/admin/user-admin', { username: 'dora', rootRole: 'Viewer' })).status,
    ).to.equal(201);
  });

  describe('of a service without authentication', () => {
    let api: Api;
    before(async () => {
      api = await runAdmin(world, { AUTH_TYPE: 'none' });
    });

    it('may do everything, except with tokens of relays and SDKs', async () => {
      await aFeature(api, 'open');
      const path = '/api/admin/projects/default/features/open/favorites';
      expect((await api.post(path, undefined, { token: null })).status).to.equal(200);
      expect((await api.delete('/api/admin/archive/open', { token: 'nonsense' })).status).to.equal(200);
      expect((await api.get('/api/admin/strategies', { token: CLIENT_TOKEN })).status).to.equal(403);
      const { body } = await api.get('/api/admin/events', { token: null });
      const [event] = (body as { events: unknown[] }).events;
      expect(event).to.include({ type: 'feature-archived', createdBy: 'unknown', createdByUserId: -1 });
    });
  });
});

/** By day each operation gets one of them, the next operation the next one. */
function inTurn<T>(values: readonly T[], index: number): readonly T[] {
  return isNight() ? values : values.slice(index % values.length).slice(0, 1);
}

/** Sends a path unchanged; fetch would normalise it. */
function rawStatus(url: string, path: string, method = 'GET'): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = { authorization: ADMIN_TOKEN };
    request({ hostname, port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
