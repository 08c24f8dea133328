import { expect } from 'chai';
import type { Config, Service } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { eventually } from '../../support/eventually.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../support/stack/processes/gauges.ts';
import { type TcpProxy, startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import { post, problemOf } from '../../support/requests/post.ts';
import { openRawConnection, rawHead } from '../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  OTHER_CLIENT_TOKEN,
  type World,
} from '../../support/world.ts';

describe('ingest while Postgres is unreachable', () => {
  const world = sharedUncountedWorld();
  let wire: TcpProxy;
  let ingest: Service;
  before(async () => {
    wire = await startTcpProxy(() => Number(new URL(world.config.postgres.url).port));
    ingest = await world.run((config, log) => startIngest(through(wire, config), log));
  });
  after(async () => {
    await world.dispose();
    await wire.close();
  });
  beforeEach(async () => {
    await wire.mend();
    expect((await post(ingest, { authorization: CLIENT_TOKEN })).status).to.equal(202);
    await wire.cut();
  });

  it('accepts known tokens', async () => {
    expect((await post(ingest, { authorization: CLIENT_TOKEN })).status).to.equal(202);
  });

  it('answers an unknown token with 503, because it may be valid', async () => {
    const answer = await post(ingest, { authorization: OTHER_CLIENT_TOKEN });
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('5');
    expect(problemOf(answer).name).to.equal('ServiceUnavailable');
  });

  it('answers a token that does not exist with 503 too', async () => {
    expect((await post(ingest, { authorization: '*:production.invented' })).status).to.equal(503);
  });

  it('still answers a missing token with 401', async () => {
    expect((await post(ingest, { authorization: '' })).status).to.equal(401);
  });

  it('gives no details of the outage in its answer', async () => {
    const { text } = await post(ingest, { authorization: ADMIN_TOKEN });
    expect(text).not.to.match(/postgres|ECONN|127\.0\.0\.1/i);
  });

  it('verifies tokens again when Postgres is back', async () => {
    expect((await post(ingest, { authorization: FRONTEND_TOKEN })).status).to.equal(503);
    await wire.mend();
    await eventually(
      () => post(ingest, { authorization: FRONTEND_TOKEN }),
      ({ status }) => status === 403,
    );
    expect((await post(ingest, { authorization: '*:production.wrong' })).status).to.equal(401);
  });
});

describe('ingest while Postgres is slow', () => {
  const ABANDONED = 'flagmeter_ingest_requests_total{answer="400"}';
  const world = sharedUncountedWorld();
  let ingest: Service;
  let release: () => Promise<void>;
  after(() => world.dispose());
  // Each test needs an ingest that knows no token yet.
  beforeEach(async () => {
    ingest = await world.run(startIngest);
    release = await holdTokens(world);
  });
  afterEach(() => release());

  for (const encoding of ['identity', 'gzip', 'deflate']) {
    it(`frees the room of a client that leaves before its ${encoding} body is read`, async () => {
      const connection = await openRawConnection(ingest.url);
      const headers = { 'Content-Encoding': encoding, 'Content-Type': 'application/json' };
      await connection.write(
        rawHead('/edge/metrics', { ...headers, 'Content-Length': 500, Authorization: CLIENT_TOKEN }),
      );
      await eventually(
        () => countWaiting(world),
        (waiting) => waiting === 1,
      );
      connection.cut();
      expect(await readGauge(ingest, ABANDONED)).to.equal(0);
      await release();
      await eventually(
        () => readGauge(ingest, ABANDONED),
        (abandoned) => abandoned === 1,
      );
      expect(await readGauge(ingest, BYTES_IN_FLIGHT)).to.equal(0);
    });
  }

  it('looks an unknown token up once for all requests that wait for it', async () => {
    const answers = Array.from({ length: 20 }, () => post(ingest));
    await eventually(
      () => countWaiting(world),
      (waiting) => waiting > 0,
    );
    expect(await countWaiting(world)).to.equal(1);
    await release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([202]));
  });

  it('occupies one Postgres connection, however many invented tokens wait to be looked up', async () => {
    const answers = Array.from({ length: 100 }, (_, index) =>
      post(ingest, { authorization: `*:production.invented-${index}` }),
    );
    await eventually(
      () => countWaiting(world),
      (waiting) => waiting > 0,
    );
    expect(await countWaiting(world)).to.equal(1);
    await release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([401]));
  });
});

function through(wire: TcpProxy, config: Config): Config {
  const url = new URL(config.postgres.url);
  url.port = String(wire.port);
  return { ...config, postgres: { ...config.postgres, url: url.toString() } };
}

/** Makes every look-up of a token wait until the returned function is called, once or again. */
async function holdTokens({ db }: World): Promise<() => Promise<void>> {
  const client = await db.connect();
  await client.query('begin');
  await client.query('lock table api_tokens in access exclusive mode');
  let isHeld = true;
  return async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('rollback');
    client.release();
  };
}

/**
 * How many look-ups of tokens wait for a lock in the world's database. Services also record the last use of tokens.
 */
async function countWaiting({ db }: World): Promise<number> {
  const { rows } = await db.query<{ waiting: number }>(
    `select count(*)::int as waiting
     from pg_stat_activity
     where datname = current_database()
       and wait_event_type = 'Lock'
       and query like '%where secret_hash = any%'`,
  );
  return rows[0]?.waiting ?? 0;
}
