import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { fastestOfThree } from '../../../support/clock/fastest.ts';
import { eventually } from '../../../support/eventually.ts';
import { startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { type Answer, aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { type TokenUpstream, startTokenUpstream } from '../../../support/servers/upstream/token-upstream.ts';
import { runWorker } from '../../../support/stories/counting.ts';
import { CLIENT_TOKEN, type World, createWorld } from '../../../support/world.ts';

const RELAY = '*:production.relay-of-unleash-0123456789';
const FRONTEND = '*:production.frontend-of-unleash-0123456789';
const UNKNOWN = '*:production.unknown-to-both-0123456789';

describe('tokens of an Unleash behind ingest', () => {
  let upstream: TokenUpstream;
  let world: World;
  let ingest: Service;
  before(async () => {
    upstream = await startTokenUpstream();
    world = await createWorld({ UNLEASH_URL: upstream.url });
    ingest = await world.run(startIngest);
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });
  beforeEach(() => {
    upstream.create(RELAY, { projects: ['default'] });
    upstream.create(FRONTEND, { type: 'frontend' });
  });
  afterEach(() => {
    upstream.respond = upstream.respondTruly;
  });

  function send(authorization: string, members: Parameters<typeof bodyOf>[0] = {}): Promise<Answer> {
    return post(ingest, { authorization, body: bodyOf(members) });
  }

  async function validate(tokens: readonly string[]): Promise<unknown> {
    const { status, text } = await post(ingest, {
      path: '/edge/validate',
      authorization: '',
      body: JSON.stringify({ tokens }),
    });
    return status === 200 ? JSON.parse(text) : status;
  }

  it('are accepted like our own: a client token may send, a frontend token gets 403, an unknown one 401', async () => {
    expect((await send(RELAY)).status).to.equal(202);
    expect((await send(`Bearer ${RELAY}`)).status).to.equal(202);
    expect((await send(FRONTEND)).status).to.equal(403);
    expect((await send(UNKNOWN)).status).to.equal(401);
    expect((await send(CLIENT_TOKEN)).status).to.equal(202);
  });

  it('count only in their environment', async () => {
    await runWorker(world);
    const metrics = ['production', 'development'].map((environment) =>
      aFreshMetric({ featureName: 'f', appName: 'of-unleash', environment, yes: 7, no: 0, variants: {} }),
    );
    expect((await send(RELAY, { metrics })).status).to.equal(202);
    await untilCounted(world);
    const refused = await world.query(
      `select environment, reason from refusals where app_name = 'of-unleash'`,
    );
    expect(refused).to.have.length(1);
    expect(refused[0]).to.include({ environment: 'development' });
  });

  it('are listed as valid, beside our own', async () => {
    expect(await validate([UNKNOWN, RELAY, CLIENT_TOKEN, FRONTEND])).to.deep.equal({
      tokens: [
        { token: RELAY, type: 'client', projects: ['default'], environment: 'production' },
        { token: CLIENT_TOKEN, type: 'client', projects: ['*'], environment: 'production' },
        { token: FRONTEND, type: 'frontend', projects: ['*'], environment: 'production' },
      ],
    });
  });

  it('are accepted within seconds after their creation, even if they were rejected before', async () => {
    const secret = '*:production.new-of-unleash-0123456789';
    expect((await send(secret)).status).to.equal(401);
    upstream.create(secret);
    await eventually(
      () => send(secret),
      ({ status }) => status === 202,
      20_000,
    );
  });

  it('do not open the admin API', async () => {
    upstream.create('*:*.admin-of-unleash-0123456789', { type: 'admin', environment: '*' });
    const admin = await world.run(startAdmin);
    const headers = { authorization: '*:*.admin-of-unleash-0123456789' };
    expect((await fetch(`${admin.url}/api/admin/strategies`, { headers })).status).to.equal(401);
  });

  it('remain valid while Unleash is down, like our own; a new one gets 503, and none gets 401 or 403', async () => {
    expect((await send(RELAY)).status).to.equal(202);
    await upstream.close();
    try {
      expect((await send(RELAY)).status).to.equal(202);
      expect((await send(CLIENT_TOKEN)).status).to.equal(202);
      expect((await send(`${UNKNOWN}-away`)).status).to.equal(503);
      expect(await validate([RELAY, CLIENT_TOKEN])).to.have.nested.property('tokens.length', 2);
      expect(await validate([RELAY, `${UNKNOWN}-away`])).to.equal(503);
    } finally {
      await upstream.reopen();
    }
    expect((await send(`${UNKNOWN}-away`)).status).to.equal(401);
  });

  it('answer a known token at once while Unleash is slow, and a new one with 503 long before Unleash', async () => {
    expect((await send(RELAY)).status).to.equal(202);
    upstream.respond = (request, response) => {
      setTimeout(() => {
        upstream.respondTruly(request, response);
      }, 10_000).unref();
    };
    const slow = send(`${UNKNOWN}-slow`);
    const delayMs = await fastestOfThree(async () => {
      expect((await send(RELAY)).status).to.equal(202);
    });
    expect(delayMs).to.be.below(2000);
    expect((await slow).status).to.equal(503);
  });

  it('are recognised while Postgres is down, and known ones do not wait for it', async () => {
    const url = new URL(world.env['DATABASE_URL'] ?? '');
    const port = Number(url.port);
    const wire = await startTcpProxy(() => port);
    url.port = String(wire.port);
    const behind = await world.run((config, log) =>
      startIngest({ ...config, postgres: { ...config.postgres, url: url.toString() } }, log),
    );
    try {
      await wire.cut();
      expect((await post(behind, { authorization: RELAY })).status).to.equal(202);
      const delayMs = await fastestOfThree(async () => {
        expect((await post(behind, { authorization: RELAY })).status).to.equal(202);
      });
      expect(delayMs).to.be.below(2000);
      // It may be one of our own tokens.
      expect((await post(behind, { authorization: `${UNKNOWN}-cut` })).status).to.equal(503);
    } finally {
      await wire.close();
    }
  });

  it('are validated without the Authorization header of the client', () => {
    const asked = upstream.requests.filter(({ path }) => path === '/edge/validate');
    expect(asked).not.to.have.length(0);
    expect(asked.filter(({ headers }) => headers.authorization !== undefined)).to.deep.equal([]);
  });
});
