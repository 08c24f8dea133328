import { expect } from 'chai';
import { type Unleash, UnleashError, createUnleash } from '#unleash/client';
import { eventually } from '../../support/eventually.ts';
import { collectGarbage } from '../../support/stack/measures/collect-garbage.ts';
import { type Upstream, answerJson, startUpstream } from '../../support/servers/upstream/upstream.ts';

const SECRET = '*:production.secret';
const TIMEOUT_MS = 60_000;

describe('the client of Unleash', () => {
  let upstream: Upstream;
  let unleash: Unleash;
  beforeEach(async () => {
    upstream = await startUpstream((_request, response) => {
      answerJson(response, { fine: true });
    });
    unleash = createUnleash({ url: `${upstream.url}/prefix/`, atOnce: 2 });
  });
  afterEach(() => upstream.close());

  it('sends the body as JSON under the prefix of the address, and the secret only in the header', async () => {
    const answer = await unleash.call({
      method: 'POST',
      path: '/some/path',
      secret: SECRET,
      body: { a: 1 },
      timeoutMs: TIMEOUT_MS,
    });
    expect([answer.status, answer.body.toString()]).to.deep.equal([200, '{"fine":true}']);
    expect(upstream.requests).to.have.length(1);
    const [request] = upstream.requests;
    expect(request).to.include({ method: 'POST', path: '/prefix/some/path', body: '{"a":1}' });
    expect(request?.headers).to.include({ authorization: SECRET, 'content-type': 'application/json' });
  });

  for (const name of ['.', '..', '%2e%2e'])
    it(`does not ask for another path because of the name ${name}`, async () => {
      const path = `/features/${name}`;
      const outcome = await unleash.call({ path, timeoutMs: TIMEOUT_MS }).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(UnleashError).with.property('code', 'unleash-answer');
      expect(upstream.requests).to.have.length(0);
    });

  it('sends no Authorization header without a secret', async () => {
    await unleash.call({ path: '/', timeoutMs: TIMEOUT_MS });
    expect(upstream.requests[0]?.headers).not.to.have.property('authorization');
  });

  it('returns any status, and follows no redirect', async () => {
    upstream.respond = (_request, response) => {
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    expect(await unleash.call({ path: '/', secret: SECRET, timeoutMs: TIMEOUT_MS })).to.include({
      status: 302,
    });
    expect(upstream.requests).to.have.length(1);
  });

  it('gives up at the deadline while Unleash does not answer', async () => {
    upstream.respond = () => undefined;
    const trouble = await troubleOf(unleash.call({ path: '/', timeoutMs: 50 }));
    expect(trouble.code).to.equal('unleash-unreached');
  });

  it('gives up at the deadline although the caller may abort too, and garbage is collected meanwhile', async () => {
    upstream.respond = () => undefined;
    const { signal } = new AbortController();
    const call = troubleOf(unleash.call({ path: '/', timeoutMs: 300, signal }));
    const collecting = setInterval(collectGarbage, 20);
    try {
      expect((await call).code).to.equal('unleash-unreached');
    } finally {
      clearInterval(collecting);
    }
  });

  it('gives up at the deadline if an answer does not end', async () => {
    upstream.respond = (_request, response) => {
      response.write('{');
    };
    const trouble = await troubleOf(unleash.call({ path: '/', timeoutMs: 50 }));
    expect(trouble.code).to.equal('unleash-unreached');
  });

  it('reports that Unleash is down, without the secret', async () => {
    await upstream.close();
    const trouble = await troubleOf(unleash.call({ path: '/', secret: SECRET, timeoutMs: TIMEOUT_MS }));
    expect(trouble.code).to.equal('unleash-unreached');
    expect(JSON.stringify(trouble) + trouble.message + String(trouble.stack)).not.to.include(SECRET);
    await upstream.reopen();
  });

  it('reads only the allowed bytes of an answer', async () => {
    upstream.respond = (_request, response) => {
      response.end('x'.repeat(1001));
    };
    const trouble = await troubleOf(unleash.call({ path: '/', timeoutMs: TIMEOUT_MS, maxBytes: 1000 }));
    expect(trouble.code).to.equal('unleash-answer');
  });

  it('sends at most two requests at once, and lets the others wait', async () => {
    let underWay = 0;
    let max = 0;
    upstream.respond = (_request, response) => {
      underWay += 1;
      max = Math.max(max, underWay);
      setTimeout(() => {
        underWay -= 1;
        response.end();
      }, 5);
    };
    const calls = Array.from({ length: 10 }, () => unleash.call({ path: '/', timeoutMs: TIMEOUT_MS }));
    expect(await Promise.all(calls)).to.have.length(10);
    expect(max).to.equal(2);
  });

  it('includes the wait in the deadline, and sends nothing after it', async () => {
    upstream.respond = () => undefined;
    const leaving = new AbortController();
    const stuck = ['/stuck', '/stuck'].map((path) =>
      troubleOf(unleash.call({ path, timeoutMs: TIMEOUT_MS, signal: leaving.signal })),
    );
    await eventually(
      () => Promise.resolve(upstream.requests),
      ({ length }) => length === 2,
    );
    const late = await troubleOf(unleash.call({ path: '/late', timeoutMs: 50 }));
    expect(late.code).to.equal('unleash-busy');
    leaving.abort();
    await Promise.all(stuck);
    upstream.respond = (_request, response) => response.end();
    await unleash.call({ path: '/next', timeoutMs: TIMEOUT_MS });
    const paths = upstream.requests.map(({ path }) => path);
    expect(paths).to.deep.equal(['/prefix/stuck', '/prefix/stuck', '/prefix/next']);
  });

  it('lets at most 1,000 requests wait', async () => {
    upstream.respond = () => undefined;
    const calls = Array.from({ length: 1003 }, () => troubleOf(unleash.call({ path: '/', timeoutMs: 200 })));
    const last = await calls.at(-1);
    expect(last?.code).to.equal('unleash-busy');
    await Promise.all(calls);
  });
});

async function troubleOf(call: Promise<unknown>): Promise<UnleashError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof UnleashError) return error;
    throw error;
  }
  throw new Error('It was answered.');
}
