import { expect } from 'chai';
import pg from 'pg';
import { type OwnEngine, ownPostgres, ownRedis } from '../support/stack/engines/own-engines.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, push } from '../support/stories/load.ts';
import { type Scene, processOf } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';
import { ADMIN_TOKEN, type World } from '../support/world.ts';

/**
 * Less than the minute for which ingest trusts a verified token, so only Redis can announce the revocation in time.
 */
const REVOKED_WITHIN_MS = 30_000;

describeStory('4 Postgres and Redis', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let postgres: OwnEngine;
  let redis: OwnEngine;

  before(async () => {
    [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  });
  afterEach(async () => {
    await Promise.all([postgres.revive(), redis.revive()]);
    await closeScenes();
  });
  after(() => Promise.all([postgres.dispose(), redis.dispose()]));

  it('killed during their work do not disturb ingestion and counting; applications are stored later, and revocation recovers by itself', async () => {
    const scene = await open({ env: { DATABASE_URL: postgres.address, REDIS_URL: redis.address } });
    await rounds(1, async () => {
      const locked = await lockApplications(scene.world.config.postgres.url);
      await eventually(
        () => locked.countWaiting(),
        (waiting) => waiting > 0,
      );
      await Promise.all([postgres.kill(), redis.kill()]);
      await scene.load.acknowledged(random.between(10, 30));
      await scene.counted();
      await Promise.all([postgres.restart(), redis.restart()]);
      await expectRevocationWorks(scene);
    });

    const { unknown, acknowledged, requests } = await expectHonest(scene);
    expect(unknown).to.equal(0);
    expect(acknowledged).to.equal(requests);
    const expected = scene.ledger.acknowledgedApplications().toSorted();
    const applications = await eventually(
      () => readApplications(scene.world),
      (names) => names.length >= expected.length,
    );
    expect(applications.toSorted()).to.deep.equal(expected);
  });
});

async function expectRevocationWorks(scene: Scene): Promise<void> {
  const call = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${processOf(scene, 'admin').url}/api/admin/api-tokens${path}`, {
      method,
      headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const created = await eventually(
    () => call('POST', '', { tokenName: 'short-lived', type: 'client', environment: 'production' }),
    ({ status }) => status === 201,
  );
  const { id, secret } = (await created.json()) as { id: string; secret: string };
  const send = (): Promise<Answer> =>
    push({ url: scene.cast.ingest.url, body: '{"applications":[],"metrics":[]}', token: secret });
  await eventually(send, (answer) => statusOf(answer) === 202);
  expect((await call('DELETE', `/${id}`)).status).to.equal(200);
  await eventually(send, (answer) => statusOf(answer) === 401, REVOKED_WITHIN_MS);
}

function statusOf(answer: Answer): number | string {
  return typeof answer === 'string' ? answer : answer.status;
}

async function readApplications({ db }: World): Promise<string[]> {
  const { rows } = await db.query<{ app_name: string }>('select app_name from client_applications');
  return rows.map(({ app_name }) => app_name);
}

/** Holds the worker inside a transaction: its writes wait until the connection of the lock ends. */
async function lockApplications(url: string): Promise<{ countWaiting(): Promise<number> }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the server is about to be killed
  await client.connect();
  await client.query('begin');
  await client.query('lock table client_applications in exclusive mode');
  return {
    async countWaiting() {
      // Not pg_stat_activity, which does not change within a transaction.
      const { rows } = await client.query('select from pg_locks where not granted');
      return rows.length;
    },
  };
}
