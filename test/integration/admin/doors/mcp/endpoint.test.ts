import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, aUser, openApi, runAdmin } from '../../../../support/admin-api/admin.ts';
import { connectByHttp } from '../../../../support/admin-api/agents.ts';
import { eventually } from '../../../../support/eventually.ts';
import { collectLog } from '../../../../support/stack/processes/collected-log.ts';
import { ask } from '../../../../support/requests/ask.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../../support/world.ts';

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'find_features', arguments: {} },
};

type Asking = {
  readonly headers?: Record<string, string>;
  readonly body?: string | object;
  readonly method?: string;
};

describe('/mcp', () => {
  const { log, lines } = collectLog();
  const world = sharedWorldWithoutTopics({
    ADMIN_CORS_ORIGINS: 'https://console.example',
    ADMIN_ACCESS_LOG: 'true',
  });
  let api: Api;
  before(async () => {
    const { url } = await world.run((config) => startAdmin(config, log));
    api = await openApi(url);
  });

  const post = async ({ headers, body = LIST, method = 'POST' }: Asking = {}) => {
    const {
      status,
      body: answered,
      headers: got,
    } = await ask(`${api.url}/mcp`, {
      method,
      headers: { authorization: ADMIN_TOKEN, ...JSON_TYPE, ...headers },
      ...(method === 'POST' ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
    return { status, text: answered.toString(), headers: got };
  };

  it('asks for an ADMIN or a personal token, before it reads the body', async () => {
    for (const authorization of ['', 'nonsense', '*:*.unknown', 'user:0123']) {
      const { status, headers } = await post({ headers: { authorization }, body: 'x'.repeat(200_000) });
      expect(status, authorization).to.equal(401);
      expect(headers['www-authenticate']).to.equal('Bearer realm="flagmeter"');
    }
    for (const authorization of [CLIENT_TOKEN, FRONTEND_TOKEN])
      expect((await post({ headers: { authorization } })).status).to.equal(403);
    const { token } = await aUser(api, 'Viewer', 'vera');
    for (const authorization of [ADMIN_TOKEN, token, `Bearer ${token}`])
      expect((await post({ headers: { authorization } })).text).to.include('find_features');
  });

  it('rejects pages of other origins, also with a token', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:1',
      'https://console.example.evil.example',
    ])
      expect((await post({ headers: { origin } })).status, origin).to.equal(403);
    for (const origin of [api.url, 'https://console.example'])
      expect((await post({ headers: { origin } })).status, origin).to.equal(200);
  });

  it('accepts one message of JSON in a request', async () => {
    for (const [status, asking] of [
      [400, { body: [LIST, LIST] }],
      [400, { body: '{' }],
      [400, { body: '' }],
      [400, { body: '['.repeat(5000) + ']'.repeat(5000) }],
      [400, { body: { ...LIST, method: 'tools/list\u0000' } }],
      [413, { body: JSON.stringify('x'.repeat(102_401)) }],
      [415, { headers: { 'content-type': 'text/plain' } }],
      [406, { headers: { accept: 'text/html' } }],
      [405, { method: 'GET' }],
      [405, { method: 'DELETE' }],
      [202, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
    ] as const)
      expect((await post(asking)).status, JSON.stringify(asking).slice(0, 100)).to.equal(status);
  });

  it('answers messages that are none with an error, and never 500', async () => {
    for (const body of [
      'null',
      '1',
      '"x"',
      '{}',
      { jsonrpc: '1.0', id: 1, method: 'tools/list' },
      { ...LIST, method: 'tools/lost' },
      { ...LIST, method: '__proto__' },
      { ...CALL, params: null },
      { ...CALL, params: { name: '__proto__', arguments: {} } },
      { ...CALL, params: { name: 'constructor' } },
      { ...CALL, params: { name: 'find_features', arguments: ['x'] } },
      { ...LIST, id: { a: 1 } },
    ]) {
      const { status, text } = await post({ body });
      expect(status, text).to.be.lessThan(500);
      expect(text, JSON.stringify(body)).to.match(/"error":|"isError":true|"name":"ValidationError"/);
    }
  });

  it('ends a subscription at once, because the tools never change', async () => {
    const agent = await connectByHttp({ url: api.url, era: 'auto' });
    const subscription = await agent.client.listen({ toolsListChanged: true });
    await subscription.closed;
    await agent.close();
  });

  it('ends with the token', async () => {
    const { id, token } = await aUser(api, 'Viewer', 'gone');
    const agent = await connectByHttp({ url: api.url, token });
    expect((await agent.call('find_features')).isError).to.equal(false);
    await api.delete(`/api/admin/user-admin/${id}`);
    const failure = await agent.call('find_features').catch((error: unknown) => error);
    expect(String(failure)).to.match(/AuthenticationRequired/);
    await agent.close();
  });

  it('logs the caller and the operation of each call, and no arguments', async () => {
    const secret = 'only-in-an-argument';
    await post({ body: { ...CALL, params: { name: 'find_features', arguments: { search: secret } } } });
    const logged = await eventually(
      () =>
        Promise.resolve(
          lines().filter(({ route, operation }) => route === '/mcp' && operation !== undefined),
        ),
      ({ length }) => length > 0,
    );
    expect(logged.at(-1)).to.include({
      operation: 'searchFeatures',
      userId: -42,
      method: 'POST',
      status: 200,
    });
    const rejected = lines().filter(
      ({ msg, operation }) => msg === 'admin request rejected' && operation === 'mcp',
    );
    expect(rejected).not.to.deep.equal([]);
    expect(JSON.stringify(lines())).not.to.include(secret).and.not.to.include(ADMIN_TOKEN);
  });

  describe('without authentication', () => {
    let url: string;
    before(async () => {
      ({ url } = await runAdmin(world, { AUTH_TYPE: 'none', ADMIN_CORS_ORIGINS: '' }));
    });

    it('can be reached only under our host names, and by no foreign page', async () => {
      const statusOf = async (headers: Record<string, string>) =>
        (
          await ask(`${url}/mcp`, {
            method: 'POST',
            headers: { ...JSON_TYPE, ...headers },
            body: JSON.stringify(LIST),
          })
        ).status;
      expect(await statusOf({})).to.equal(200);
      expect(await statusOf({ host: 'evil.example' })).to.equal(403);
      expect(await statusOf({ host: 'evil.example', origin: 'http://evil.example' })).to.equal(403);
      expect(await statusOf({ origin: 'http://evil.example' })).to.equal(403);
    });
  });
});
