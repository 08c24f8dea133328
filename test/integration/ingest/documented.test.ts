import { expect } from 'chai';
import { openCredentials } from '#base/auth';
import { createLog, createRegistry } from '#base/runtime';
import { openIngest } from '../../../services/ingest/index.ts';
import { startStandalone } from '../../../services/standalone/app.ts';
import { type Api, openApi } from '../../support/admin-api/admin.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, sharedWorld } from '../../support/world.ts';

const OPEN = '/edge/validate';
const FRONTEND = '/api/frontend/';
const tokenFor = (path: string): string => (path.startsWith(FRONTEND) ? FRONTEND_TOKEN : CLIENT_TOKEN);

// The `openApi` caller compares every answer with the document.
describe('the routes of relays in the OpenAPI document', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let api: Api;
  before(async () => {
    const standalone = await world.run(startStandalone);
    api = await openApi(standalone.url);
  });

  function relayOperations() {
    return Object.entries(api.document.paths)
      .filter(([, { post }]) => post?.tags[0] === 'Relays')
      .map(([path, { post }]) => ({ path, body: post?.requestBody?.content['application/json'].example }));
  }

  it('are exactly the routes that ingest serves', async () => {
    const log = createLog('test', 'silent');
    const credentials = openCredentials(world.config, log);
    const ingest = openIngest({ config: world.config, credentials, registry: createRegistry(), log });
    // OTLP has its own specification.
    const served = ingest.router.stack
      .map(({ path }) => path)
      .filter((path) => !String(path).startsWith('/v1/'));
    await ingest.stop();
    await credentials.close();
    expect(relayOperations().map(({ path }) => path)).to.have.members(served);
  });

  it('accept their examples', async () => {
    for (const { path, body } of relayOperations()) {
      const { status } = await api.post(path, body, { token: tokenFor(path) });
      expect(status, path).to.equal(path === OPEN ? 200 : 202);
    }
    const { body } = await api.post(OPEN, { tokens: [CLIENT_TOKEN, 'nonsense'] }, { token: null });
    const token = { token: CLIENT_TOKEN, type: 'client', projects: ['*'], environment: 'production' };
    expect(body).to.deep.equal({ tokens: [token] });
  });

  it('reject requests as documented', async () => {
    for (const { path } of relayOperations()) {
      const token = tokenFor(path);
      expect((await api.post(path, [], { token })).status, path).to.equal(400);
      const text = { rawBody: '{}', headers: { 'content-type': 'text/plain' }, token };
      expect((await api.call('POST', path, text)).status, path).to.equal(415);
      const large = { rawBody: `"${'x'.repeat(102_401)}"`, token };
      expect((await api.call('POST', path, large)).status, path).to.equal(413);
      if (path === OPEN) continue;
      expect((await api.post(path, {}, { token: null })).status, path).to.equal(401);
      expect(
        (await api.post(path, {}, { token: tokenFor(path) === CLIENT_TOKEN ? FRONTEND_TOKEN : CLIENT_TOKEN }))
          .status,
        path,
      ).to.equal(403);
    }
  });

  it('exist beside those of every process', async () => {
    expect((await api.get('/health', { token: null })).body).to.deep.equal({ health: 'GOOD' });
    expect((await api.get('/ready', { token: null })).status).to.be.oneOf([200, 503]);
    const metrics = await fetch(`${api.url}/internal-backstage/prometheus`);
    expect(metrics.headers.get('content-type')).to.match(/^text\/plain/);
    expect(Object.keys(api.document.paths)).to.include('/internal-backstage/prometheus');
  });
});
