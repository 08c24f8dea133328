import { once } from 'node:events';
import { expect } from 'chai';
import { type Service, readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { fastestOfThree } from '../../../support/clock/fastest.ts';
import { eventually } from '../../../support/eventually.ts';
import { type WholeAnswer, ask, openAnswer } from '../../../support/requests/ask.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import type { World } from '../../../support/world.ts';
import { type Front, createFront } from './front.ts';

const FEATURES = '/api/client/features';
const ROOM = 4;

describe('flagmeter in front of a failing Unleash', () => {
  let upstream: RawUpstream;
  let world: World;
  let front: Service;
  let dispose: Front['dispose'];
  before(async () => {
    ({ upstream, world, front, dispose } = await createFront({
      env: { UNLEASH_MAX_REQUESTS: String(ROOM) },
    }));
  });
  after(() => dispose());
  beforeEach(() => upstream.revive());
  // After every fault of Unleash, and during it.
  afterEach(async () => {
    await expectTaken();
    await upstream.kill();
    await expectTaken();
  });

  const features = (): Promise<WholeAnswer> => ask(`${front.url}${FEATURES}`);
  const expectTaken = async (): Promise<void> => {
    const takenMs = await fastestOfThree(async () => {
      const body = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });
      expect((await post(front, { body })).status).to.equal(202);
    });
    // Before the deadline of Unleash passes.
    expect(takenMs).to.be.lessThan(8000);
  };
  function expectProblem(answer: WholeAnswer, status: number, message: RegExp): void {
    const problem: unknown = JSON.parse(answer.body.toString());
    expect(answer.status).to.equal(status);
    expect(problem).to.include.keys('id', 'name', 'message');
    expect(problem).to.have.property('message').that.matches(message);
    expect(answer.headers['retry-after']).to.equal('5');
  }

  for (const status of [401, 403, 404, 429, 500, 503]) {
    it(`passes ${status} unchanged, and the next answer too`, async () => {
      const said = { status, 'Retry-After': '17', 'Content-Type': 'application/json' };
      upstream.answer((_request, response) =>
        response.writeHead(status, said).end('{"message":"of Unleash"}'),
      );
      const answer = await features();
      expect([answer.status, answer.body.toString()]).to.deep.equal([status, '{"message":"of Unleash"}']);
      expect(answer.headers['retry-after']).to.equal('17');
      await upstream.revive();
      expect((await features()).status).to.equal(200);
    });
  }

  it('answers 502 while Unleash is down, and passes requests again when it is back', async () => {
    await upstream.kill();
    expectProblem(await features(), 502, /^Unleash cannot be reached/);
    await upstream.revive();
    expect((await features()).status).to.equal(200);
  });

  it('answers 502 if Unleash does not speak HTTP', async () => {
    await upstream.kill();
    await upstream.revive();
    upstream.speak('\u0000\u0001 garbage\r\n\r\n');
    expectProblem(await features(), 502, /gave no valid answer/);
  });

  it('answers 502 if Unleash closes the connection without an answer', async () => {
    upstream.answer((request) => request.socket.destroy());
    expectProblem(await features(), 502, /gave no valid answer/);
  });

  it('passes an answer that takes five seconds', async () => {
    upstream.answer((_request, response) => setTimeout(() => response.end('slow'), 5000));
    const [answer] = await Promise.all([features(), expectTaken()]);
    expect(answer.body.toString()).to.equal('slow');
  });

  it('answers 503 before SDKs give up if an answer takes ten seconds', async () => {
    upstream.answer((_request, response) => setTimeout(() => response.end('slow'), 10_000));
    const [answer] = await Promise.all([features(), expectTaken()]);
    expectProblem(answer, 503, /^Unleash did not answer in time/);
  });

  it('gives up within two seconds if nobody answers at the address', async () => {
    const config = readConfig({ ...world.env, UNLEASH_URL: 'http://192.0.2.1:4242' });
    const { url } = await world.run((_, log) => startIngest(config, log));
    const startedAt = performance.now();
    const answer = await ask(`${url}${FEATURES}`);
    expect(answer.status).to.be.oneOf([502, 503]);
    // An answer would be awaited for nine.
    expect(performance.now() - startedAt).to.be.lessThan(8000);
  });

  it('resets the connection of a client if its answer breaks off', async () => {
    upstream.answer((_request, response) => {
      response.writeHead(200, { 'Content-Length': 1000 }).write('begin');
      setTimeout(() => response.destroy(), 100);
    });
    const answer = await openAnswer(`${front.url}${FEATURES}`);
    const broken = once(answer.resume(), 'error') as Promise<[NodeJS.ErrnoException]>;
    expect((await broken)[0].code).to.equal('ECONNRESET');
    await eventually(readOutcomes, (outcomes) => outcomes.includes('cut'));
  });

  it('answers 503 beyond UNLEASH_MAX_REQUESTS, which does not limit metrics', async () => {
    upstream.answer(() => undefined);
    const before = upstream.arrivals.length;
    const waiting = Array.from({ length: ROOM }, () => new AbortController());
    const asked = Promise.allSettled(
      waiting.map(({ signal }) => fetch(`${front.url}${FEATURES}`, { signal })),
    );
    await eventually(
      () => Promise.resolve(upstream.arrivals.length - before),
      (arrived) => arrived === ROOM,
    );
    expectProblem(await features(), 503, /^Too many requests wait for Unleash/);
    await expectTaken();
    for (const client of waiting) client.abort();
    expect((await asked).map(({ status }) => status)).to.deep.equal(waiting.map(() => 'rejected'));
    await upstream.revive();
    await eventually(features, ({ status }) => status === 200);
  });

  it('counts requests by outcome', async () => {
    await features();
    await upstream.kill();
    await features();
    expect(await readOutcomes()).to.include.members(['answered', 'unreachable', 'full', 'timeout']);
  });

  async function readOutcomes(): Promise<string[]> {
    const metrics = await (await fetch(`${front.url}/internal-backstage/prometheus`)).text();
    // Some outcomes are 0 from the start.
    return [...metrics.matchAll(/^flagmeter_pass_requests_total\{outcome="(\w+)".*\} [1-9]/gm)].flatMap(
      ([, name]) => name ?? [],
    );
  }
});
