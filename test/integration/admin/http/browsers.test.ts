import { expect } from 'chai';
import {
  type Api,
  aUser,
  sharedAdminWorld,
  exampleCalls,
  runAdmin,
} from '../../../support/admin-api/admin.ts';
import { ask } from '../../../support/requests/ask.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

const CONSOLE = 'https://console.example';
const OTHER = 'http://localhost:5173';
const PROJECTS = '/api/admin/projects';

/** Origins that differ from an allowed one in one detail. */
const FOREIGN = [
  'http://console.example',
  'https://console.example:8443',
  'https://console.example.evil.example',
  'https://evil.example',
  'https://CONSOLE.example',
  'null',
  '*',
  `${CONSOLE},${OTHER}`,
];

const preflightOf = (origin: string, method = 'PUT') => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type,if-match',
  },
});

describe('pages', () => {
  const world = sharedAdminWorld({ ADMIN_CORS_ORIGINS: `${CONSOLE}, ${OTHER}` });

  const at = (path: string) => `${world.api.url}${path}`;

  it('of origins in the list may send every request of the API after a preflight', async () => {
    for (const origin of [CONSOLE, OTHER]) {
      for (const { method, path } of exampleCalls(world.api)) {
        const { status, headers, body } = await ask(at(path), preflightOf(origin, method));
        expect(status, `${method} ${path}`).to.equal(204);
        expect(body).to.have.length(0);
        expect(headers['access-control-allow-origin']).to.equal(origin);
        expect(headers['access-control-allow-methods']?.split(', ')).to.include(method);
        const allowed = headers['access-control-allow-headers']?.toLowerCase().split(', ');
        expect(allowed).to.include.members(['authorization', 'content-type', 'if-match', 'if-none-match']);
        expect(headers.vary).to.equal('Origin');
      }
    }
  });

  it('of origins in the list may read answers and errors, and send no cookies', async () => {
    for (const [path, authorization, expected] of [
      [PROJECTS, ADMIN_TOKEN, 200],
      [PROJECTS, 'nonsense', 401],
      ['/api/admin/nothing', ADMIN_TOKEN, 404],
      ['/docs/openapi.json', '', 200],
    ] as const) {
      const { status, headers } = await ask(at(path), { headers: { origin: CONSOLE, authorization } });
      expect(status, path).to.equal(expected);
      expect(headers['access-control-allow-origin'], path).to.equal(CONSOLE);
      expect(headers['access-control-expose-headers'], path).to.contain('ETag');
      expect(headers.vary, path).to.match(/^Origin\b/);
      expect(headers).not.to.have.property('access-control-allow-credentials');
    }
  });

  it('of origins that are not in the list get no header', async () => {
    for (const origin of FOREIGN) {
      const preflight = await ask(at(PROJECTS), preflightOf(origin));
      expect(preflight.status, origin).to.equal(405);
      const read = await ask(at(PROJECTS), { headers: { origin, authorization: ADMIN_TOKEN } });
      for (const { headers } of [preflight, read]) {
        expect(Object.keys(headers).join(), origin).not.to.contain('access-control');
        expect(headers.vary, origin).to.match(/^Origin\b/);
      }
    }
  });

  it('get no header at other paths', async () => {
    for (const path of ['/health', '/ready', '/api/administrator']) {
      const { headers } = await ask(at(path), { headers: { origin: CONSOLE } });
      expect(headers, path).not.to.have.any.keys('access-control-allow-origin', 'vary', 'cache-control');
    }
  });

  describe('without authentication', () => {
    let api: Api;
    before(async () => {
      api = await runAdmin(world, { AUTH_TYPE: 'none', ADMIN_CORS_ORIGINS: CONSOLE });
    });

    it('may call the API only if they are in the list', async () => {
      const statusFor = async (origin: string) =>
        (await ask(`${api.url}${PROJECTS}`, { headers: { origin } })).status;
      expect(await statusFor(CONSOLE)).to.equal(200);
      for (const origin of FOREIGN) expect(await statusFor(origin), origin).to.equal(403);
    });

    it('in the list still cannot reach the API under a foreign host name', async () => {
      const headers = { origin: CONSOLE, host: 'evil.example' };
      expect((await ask(`${api.url}${PROJECTS}`, { headers })).status).to.equal(403);
    });
  });

  describe('and the headers of answers', () => {
    it('let no cache keep errors and changes, and let only browsers keep reads', async () => {
      const { api } = world;
      const path = `${PROJECTS}/default/features`;
      const created = await api.post(path, { name: 'f' });
      const { token } = await aUser(api, 'Viewer', 'vera');
      const denied = await api.post(path, { name: 'g' }, { token });
      const missing = await api.get('/api/admin/nothing');
      expect([created.status, denied.status, missing.status]).to.deep.equal([201, 403, 404]);
      for (const { headers } of [created, denied, missing])
        expect(headers.get('cache-control')).to.equal('no-store');
      for (const { headers } of [await api.get(PROJECTS), await api.get(path)]) {
        expect(headers.get('cache-control')).to.equal('private, no-cache');
        expect(headers.get('vary')).to.contain('Authorization');
      }
    });

    it('let no cache keep a new secret, whatever operation shows one', async () => {
      const { api } = world;
      const { id } = await aUser(api, 'Admin', 'ada');
      const personal = { description: 'x', expiresAt: IN_A_MONTH };
      const created = [
        await api.post('/api/admin/api-tokens', { tokenName: 'x', type: 'admin' }),
        await api.post(`/api/admin/user-admin/${id}/tokens`, personal),
      ];
      for (const { body, headers } of created) {
        expect(JSON.stringify(body)).to.match(/"secret":".{20}/);
        expect(headers.get('cache-control')).to.equal('no-store');
      }
      // Only a GET may be kept, so no GET may have a secret in its answer.
      const { paths, components } = api.document;
      const withSecret = Object.values(paths).flatMap((methods) =>
        Object.entries(methods).flatMap(([method, { responses }]) =>
          Object.values(responses).some((answer) => mentionsSecret(answer, components)) ? method : [],
        ),
      );
      expect(withSecret).to.have.length.at.least(3);
      expect(withSecret).not.to.include('get');
    });
  });
});

/** Whether a schema has a property named `secret`, also within the components that it refers to. */
function mentionsSecret(part: unknown, components: { readonly schemas: Record<string, object> }): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('properties' in part && Object.keys(part.properties as object).includes('secret')) return true;
  const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec('$ref' in part ? String(part.$ref) : '') ?? [];
  const inner: unknown[] = Object.values(part);
  return [...inner, components.schemas[name]].some((one) => mentionsSecret(one, components));
}
