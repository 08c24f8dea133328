import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createTokens } from '#base/auth';
import { createRandom } from '#tooling/traffic';
import { createRelay } from '../../../../tools/relay/index.ts';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { stackEnv } from '../../../support/stack/engines/stack-addresses.ts';
import { eventually } from '../../../support/eventually.ts';
import { readGauge } from '../../../support/stack/processes/gauges.ts';
import { type TcpProxy, startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { type Answer, post, problemOf } from '../../../support/requests/post.ts';
import { startCounting, usageOf } from '../../../support/stories/counting.ts';
import { type World, createWorld } from '../../../support/world.ts';

const SHARED = 'flagmeter_ingest_rates_shared';

describe('a limit on the requests of a token', () => {
  let redis: TcpProxy;
  let world: World;
  let ingest: Service;
  let second: Service;
  let made = 0;

  before(async () => {
    const url = new URL(stackEnv().REDIS_URL);
    const port = Number(url.port);
    redis = await startTcpProxy(() => port);
    url.hostname = '127.0.0.1';
    url.port = String(redis.port);
    world = await createWorld({ RATE_LIMIT_PER_MINUTE: '4', REDIS_URL: url.toString() });
    ingest = await startCounting(world);
    second = await world.run(startIngest);
  });
  after(async () => {
    await world.dispose();
    await redis.close();
  });

  it('answers 429 beyond it, before the body is read, and reports the remaining requests until then', async () => {
    const token = await aToken();
    const answers = await postInTurn(token, [ingest, ingest, ingest, ingest]);
    const rejected = await post(ingest, { authorization: token, body: 'not JSON' });

    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).to.deep.equal([
      '3',
      '2',
      '1',
      '0',
    ]);
    expect(rejected.status).to.equal(429);
    expect(problemOf(rejected))
      .to.have.keys('id', 'name', 'message')
      .and.include({ name: 'TooManyRequests' });
    expect(rejected.headers.get('ratelimit-limit')).to.equal('4');
    expect(rejected.headers.get('ratelimit-remaining')).to.equal('0');
    const reset = rejected.headers.get('ratelimit-reset');
    expect(Number(reset)).to.be.within(1, 60);
    expect(rejected.headers.get('retry-after')).to.equal(reset);
  });

  it('is shown in every answer, also in an error', async () => {
    const answer = await post(ingest, { authorization: await aToken(), body: 'not JSON' });

    expect(answer.status).to.equal(400);
    expect(answer.headers.get('ratelimit-remaining')).to.equal('3');
  });

  it('is shared by all processes, which add up their counts once a second', async () => {
    const token = await aToken(1000);
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => post(ingest, { authorization: token })));
    let own = 0;
    await eventually(
      () => {
        own += 1;
        return post(second, { authorization: token });
      },
      ({ headers }) => headers.get('ratelimit-remaining') === String(1000 - 100 - own),
    );
  });

  it('may be lower, higher or none for a token', async () => {
    const services = Array.from({ length: 6 }, () => ingest);
    const lower = await postInTurn(await aToken(1), services);
    const higher = await postInTurn(await aToken(5), services);
    const none = await postInTurn(await aToken(0), services);

    expect(lower.map(({ status }) => status)).to.deep.equal([202, 429, 429, 429, 429, 429]);
    expect(higher.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202, 429]);
    expect(none.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202, 202]);
    expect(none[0]?.headers.get('ratelimit-limit')).to.equal(null);
  });

  it('costs a relay nothing: it keeps the data and sends it when it is allowed again', async () => {
    const token = await aToken(2);
    const relay = createRelay({
      url: ingest.url,
      tokens: { production: token },
      random: createRandom(3),
    });
    const push = (yes: number): Promise<void> => {
      const at = Date.now() + yes;
      relay.record({ featureName: 'patient', appName: 'a', environment: 'production', at, yes });
      return relay.push();
    };
    for (const yes of [1, 10, 100]) await push(yes);
    await untilAddedUp(world, `token-${made}`, 3);
    await endMinute(world, `token-${made}`);
    await push(1000);
    await untilAddedUp(world, `token-${made}`, 1);
    await push(10_000);
    relay.close();
    await world.settled();

    expect(relay.ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal([
      'acknowledged',
      'acknowledged',
      'merged-back',
      'merged-back',
      'acknowledged',
    ]);
    expect(await usageOf(world, 'patient')).to.include({ yes: 11_111 });
  });

  it('applies to each process alone while Redis is down, and to all together afterwards', async () => {
    await redis.cut();
    const away = await postInTurn(await aToken(), [ingest, ingest, ingest, ingest, ingest]);
    await eventually(
      () => readGauge(ingest, SHARED),
      (shared) => shared === 0,
    );
    await redis.mend();

    expect(away.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 429]);
    await eventually(
      async () => {
        await post(ingest);
        return readGauge(ingest, SHARED);
      },
      (shared) => shared === 1,
    );
  });

  async function aToken(rateLimit?: number): Promise<string> {
    made += 1;
    const secret = `*:production.rate-limited-${made}`;
    const token = { secret, name: `token-${made}`, type: 'client', environment: 'production' } as const;
    await createTokens(world.db).create({ ...token, projects: [], expiresAt: undefined, rateLimit });
    return secret;
  }
});

/** The count in Redis starts again. The process notices when it adds its next request. */
async function endMinute(world: World, tokenName: string): Promise<void> {
  const { redis, key } = await counterOf(world, tokenName);
  await redis.del(key);
  redis.disconnect();
}

/** Waits until Redis has counted the requests of a token. */
async function untilAddedUp(world: World, tokenName: string, requests: number): Promise<void> {
  const { redis, key } = await counterOf(world, tokenName);
  await eventually(
    () => redis.get(key),
    (known) => known === String(requests),
  );
  redis.disconnect();
}

async function counterOf(world: World, tokenName: string): Promise<{ redis: Redis; key: string }> {
  const token = (await createTokens(world.db).list()).find(({ name }) => name === tokenName);
  return { redis: new Redis(world.env['REDIS_URL'] ?? ''), key: `flagmeter:rate:${token?.id ?? ''}` };
}

async function postInTurn(authorization: string, services: readonly Service[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const service of services) answers.push(await post(service, { authorization }));
  return answers;
}
