import { expect } from 'chai';
import { createTokens } from '#base/auth';
import type { NewToken } from '#base/tokens';
import { countMessages } from '../../../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../../../support/eventually.ts';
import { type Post, post, problemOf } from '../../../../support/requests/post.ts';
import { sharedCounting } from '../../../../support/stories/counting.ts';
import { ADMIN_TOKEN, FRONTEND_TOKEN, sharedWorld } from '../../../../support/world.ts';

const PATH = '/api/client/register';

/** As the Node SDK sends it. */
const REGISTRATION = {
  appName: 'checkout',
  instanceId: 'checkout-1',
  connectionId: '0b0f4c1e-1111-4222-8333-444455556666',
  sdkVersion: 'unleash-client-node:6.7.0',
  strategies: ['default', 'flexibleRollout'],
  started: '2026-11-21T09:59:12.348Z',
  interval: 60_000,
  platformName: 'node',
  platformVersion: 'v22.9.0',
  yggdrasilVersion: null,
  specVersion: '5.2.0',
};

const REJECTED: readonly { title: string; status: number; name: string; request: Partial<Post> }[] = [
  { title: 'no token', status: 401, name: 'AuthenticationRequired', request: { authorization: '' } },
  {
    title: 'a frontend token',
    status: 403,
    name: 'NoAccessError',
    request: { authorization: FRONTEND_TOKEN },
  },
  { title: 'DELETE', status: 405, name: 'MethodNotAllowed', request: { method: 'DELETE' } },
  { title: 'a large body', status: 413, name: 'ContentTooLarge', request: { body: ' '.repeat(102_401) } },
  { title: 'a form', status: 415, name: 'ContentTypeerror', request: { contentType: 'multipart/form-data' } },
  ...[
    { title: 'null', body: 'null' },
    { title: 'no name', body: '{}' },
    { title: 'a name that is a list', body: '{"appName":[]}' },
    { title: 'strategies that are text', body: '{"appName":"a","strategies":"default"}' },
    { title: 'an invalid start time', body: '{"appName":"a","started":"yesterday"}' },
    { title: 'an interval that is a word', body: '{"appName":"a","interval":"often"}' },
  ].map(({ title, body }) => ({ title, status: 400, name: 'ValidationError', request: { body } })),
];

describe('the registration of one SDK', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);

  for (const { title, status, name, request } of REJECTED) {
    it(`is rejected with ${status} for ${title}, and nothing is stored`, async () => {
      const before = await countMessages(world);
      const answer = await post(ingest, { path: PATH, body: JSON.stringify(REGISTRATION), ...request });
      expect(answer.status).to.equal(status);
      expect(problemOf(answer).name).to.equal(name);
      expect(await countMessages(world)).to.equal(before);
    });
  }

  it('stores application, instance and use, in the environment of the token', async () => {
    await register({ ...REGISTRATION, environment: 'development', projects: ['invented'] });
    const rows = await stored('checkout');
    expect(rows).to.deep.equal([
      {
        strategies: ['default', 'flexibleRollout'],
        project: '*',
        environment: 'production',
        instance_id: 'checkout-1',
        sdk_version: 'unleash-client-node:6.7.0',
        platform_name: 'node',
        platform_version: 'v22.9.0',
        connect_via: [],
      },
    ]);
  });

  it('belongs to the projects of its token', async () => {
    const token: NewToken = {
      secret: 'payments:production.sdk',
      name: 'payments',
      type: 'client',
      environment: 'production',
      projects: ['payments'],
      expiresAt: undefined,
    };
    await createTokens(world.db).create(token);
    await register({ appName: 'payments-api' }, { authorization: token.secret });
    expect((await stored('payments-api'))[0]).to.include({ project: 'payments', instance_id: 'default' });
  });

  it('belongs to the environment that the SDK names if the token is for all', async () => {
    await register({ appName: 'roaming', environment: 'staging' }, { authorization: ADMIN_TOKEN });
    expect((await stored('roaming'))[0]).to.include({ environment: 'staging' });
  });

  it('with a name that cannot be stored counts as refused', async () => {
    await register({ appName: 'x'.repeat(256) });
    await world.settled();
    expect(
      await world.query(`select reason, toUInt32(count) as count from refusals where kind = 'application'`),
    ).to.deep.equal([{ reason: 'name_too_long', count: 1 }]);
  });

  async function register(body: unknown, request: Partial<Post> = {}): Promise<void> {
    const answer = await post(ingest, { path: PATH, body: JSON.stringify(body), ...request });
    expect(answer.status).to.equal(202);
    expect(answer.text).to.equal('');
  }

  function stored(appName: string): Promise<Record<string, unknown>[]> {
    return eventually(
      async () => {
        const { rows } = await world.db.query<Record<string, unknown>>(
          `select a.strategies, u.project, u.environment, i.instance_id, i.sdk_version,
             i.platform_name, i.platform_version, i.connect_via
           from client_applications as a
           join client_applications_usage as u using (app_name)
           join client_instances as i using (app_name)
           where a.app_name = $1`,
          [appName],
        );
        return rows;
      },
      (rows) => rows.length > 0,
    );
  }
});
