import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createRandom, createRelay } from '#relay';
import type { Service } from '#runtime';
import { createTokens } from '#stores';
import { startIngest } from '../../../services/ingest/app.ts';
import { startCounting, usageOf } from '../../support/counting.ts';
import { eventually } from '../../support/eventually.ts';
import { readGauge } from '../../support/gauges.ts';
import { type Answer, post, problemOf } from '../../support/post.ts';
import { stackEnv } from '../../support/stack-addresses.ts';
import { type TcpProxy, startTcpProxy } from '../../support/tcp-proxy.ts';
import { type World, createWorld } from '../../support/world.ts';

const UNCOUNTED = 'flagmeter_ingest_rate_uncounted_total';

describe('a limit on the requests of a token', () => {
  let redis: TcpProxy;
  let world: World;
  let front: Service;
  let second: Service;
  let made = 0;

  before(async () => {
    const url = new URL(stackEnv().REDIS_URL);
    const port = Number(url.port);
    redis = await startTcpProxy(() => port);
    url.hostname = '127.0.0.1';
    url.port = String(redis.port);
    world = await createWorld({ RATE_LIMIT_PER_MINUTE: '4', REDIS_URL: url.toString() });
    front = await startCounting(world);
    second = await world.run(startIngest);
  });
  after(async () => {
    await world.dispose();
    await redis.close();
  });

  it('answers 429 beyond it, before the body is read, and says how near it is before', async () => {
    const token = await aToken();
    const answers = await postInTurn(token, [front, front, front, front]);
    const refused = await post(front, { authorization: token, body: 'not JSON' });

    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).to.deep.equal([
      '3',
      '2',
      '1',
      '0',
    ]);
    expect(refused.status).to.equal(429);
    expect(problemOf(refused)).to.have.keys('id', 'name', 'message').and.include({ name: 'TooManyRequests' });
    expect(refused.headers.get('ratelimit-limit')).to.equal('4');
    expect(refused.headers.get('ratelimit-remaining')).to.equal('0');
    const reset = refused.headers.get('ratelimit-reset');
    expect(Number(reset)).to.be.within(1, 60);
    expect(refused.headers.get('retry-after')).to.equal(reset);
  });

  it('is told with every answer, also one that says what is wrong', async () => {
    const answer = await post(front, { authorization: await aToken(), body: 'not JSON' });

    expect(answer.status).to.equal(400);
    expect(answer.headers.get('ratelimit-remaining')).to.equal('3');
  });

  it('is shared by all processes', async () => {
    const answers = await postInTurn(await aToken(), [front, second, front, second, front, second]);

    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 429, 429]);
  });

  it('may be lower, higher or none for a token', async () => {
    const services = Array.from({ length: 6 }, () => front);
    const lower = await postInTurn(await aToken(1), services);
    const higher = await postInTurn(await aToken(5), services);
    const none = await postInTurn(await aToken(0), services);

    expect(lower.map(({ status }) => status)).to.deep.equal([202, 429, 429, 429, 429, 429]);
    expect(higher.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202, 429]);
    expect(none.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202, 202]);
    expect(none[0]?.headers.get('ratelimit-limit')).to.equal(null);
  });

  it('costs a relay nothing: it keeps the data and sends it when it may', async () => {
    const token = await aToken(1);
    const relay = createRelay({
      url: front.url,
      tokens: { production: token },
      random: createRandom(3),
    });
    for (const [at, yes] of [1, 10, 100].entries()) {
      relay.record({
        featureName: 'patient',
        appName: 'a',
        environment: 'production',
        at: Date.now() + at,
        yes,
      });
      await relay.push();
    }
    const outcomes = relay.ledger.deliveries.map(({ outcome }) => outcome);
    await forgetCounts(world, `token-${made}`);
    await relay.push();
    relay.close();
    await world.settled();

    expect(outcomes).to.deep.equal(['acknowledged', 'merged-back', 'merged-back']);
    expect(await usageOf(world, 'patient')).to.include({ yes: 111 });
  });

  it('lets everybody pass while Redis is away, and counts again when it is back', async () => {
    const token = await aToken();
    await postInTurn(token, [front, front, front, front]);
    await redis.cut();
    const uncounted = await readGauge(front, UNCOUNTED);
    const answers = await postInTurn(
      token,
      Array.from({ length: 20 }, () => front),
    );
    const passed = (await readGauge(front, UNCOUNTED)) - uncounted;
    await redis.mend();

    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([202]));
    expect(answers.at(-1)?.headers.get('ratelimit-limit')).to.equal(null);
    expect(passed).to.equal(20);
    await eventually(
      () => post(front, { authorization: token }),
      ({ status }) => status === 429,
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

/** As the end of the minute does. */
async function forgetCounts(world: World, tokenName: string): Promise<void> {
  const token = (await createTokens(world.db).list()).find(({ name }) => name === tokenName);
  const redis = new Redis(world.env['REDIS_URL'] ?? '');
  await redis.del(`flagmeter:rate:${token?.id ?? ''}`);
  redis.disconnect();
}

async function postInTurn(authorization: string, services: readonly Service[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const service of services) answers.push(await post(service, { authorization }));
  return answers;
}
