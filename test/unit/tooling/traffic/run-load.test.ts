import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type LoadOptions, runLoad } from '#tooling/traffic';

const OPTIONS = {
  token: '*:*.secret',
  rowsPerBody: 10,
  features: 20,
  apps: 2,
  environments: ['production'],
  skew: 1,
  seed: 1,
  connections: 4,
  timeoutMs: 5000,
} as const;

describe('runLoad', () => {
  let server: Server | undefined;
  const bodies: string[] = [];

  async function serve(answer: RequestListener): Promise<string> {
    server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.once('end', () => {
        bodies.push(text);
        answer(request, response);
      });
    });
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/edge/metrics`;
  }

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    bodies.length = 0;
  });

  const load = (options: Pick<LoadOptions, 'url' | 'rate' | 'seconds'> & Partial<LoadOptions>) =>
    runLoad({ ...OPTIONS, ...options });

  it('sends different bodies and adds up exactly the acknowledged ones', async () => {
    let requests = 0;
    const enough = new AbortController();
    const url = await serve((_request, response) => {
      requests += 1;
      response.statusCode = requests % 3 === 0 ? 503 : 202;
      response.end(requests % 3 === 0 ? '{"name":"no"}' : undefined);
      if (requests === 100) enough.abort();
    });
    const result = await load({ url, rate: 'maximum', seconds: 600, signal: enough.signal });
    expect(new Set(bodies).size).to.equal(bodies.length);
    expect(result.requests.sent).to.equal(bodies.length);
    expect(result.statuses).to.deep.equal({
      202: bodies.length - Math.floor(bodies.length / 3),
      503: Math.floor(bodies.length / 3),
    });
    expect(result.acknowledged.rows).to.equal(result.requests.acknowledged * 10);
    expect(result.inDoubt.rows).to.equal(0);
  });

  it('sends at the given rate, in an open loop', async () => {
    const url = await serve((_request, response) => response.writeHead(202).end());
    const result = await load({ url, rate: 200, seconds: 0.5 });
    // A busy machine is late for some of them.
    const { sent, notSent } = result.requests;
    expect([result.mode, sent + notSent, sent]).to.deep.equal(['open loop', 100, bodies.length]);
    expect(sent).to.be.greaterThan(0);
  });

  it('measures the latency from the due time of a request, not from the moment a connection is free', async () => {
    let requests = 0;
    const enough = new AbortController();
    const url = await serve((_request, response) => {
      requests += 1;
      if (requests === 10) enough.abort();
      setTimeout(() => response.writeHead(202).end(), 100);
    });
    // One connection carries 10 of the 40 requests due per second.
    const result = await load({ url, rate: 40, seconds: 600, connections: 1, signal: enough.signal });
    expect(result.latencyMs.max).to.be.greaterThan(500);
    expect(result.requests.notSent).to.be.greaterThan(10);
  });

  it('counts requests without an answer as unknown, by kind', async () => {
    const url = await serve((request) => request.socket.destroy());
    const result = await load({ url, rate: 20, seconds: 0.2 });
    expect(result.requests.inDoubt).to.equal(result.requests.sent);
    expect(result.inDoubt.rows).to.equal(result.requests.sent * 10);
    expect(Object.values(result.errors).reduce((sum, count) => sum + count, 0)).to.equal(
      result.requests.sent,
    );
  });

  it('counts no request as unknown if nobody listens', async () => {
    const url = await serve((_request, response) => response.end());
    await new Promise((resolve) => server?.close(resolve));
    const result = await load({ url, rate: 20, seconds: 0.2 });
    expect(result.errors).to.deep.equal({ ECONNREFUSED: result.requests.sent });
    expect(result.requests.inDoubt).to.equal(0);
  });

  it('gives up an answer that takes too long, with an unknown outcome', async () => {
    const arrived = new AbortController();
    const url = await serve(() => {
      arrived.abort();
    });
    const given = { rate: 10, seconds: 600, connections: 1, timeoutMs: 4000 } as const;
    const result = await load({ url, ...given, signal: arrived.signal });
    expect(result.errors).to.deep.equal({ timeout: 1 });
    expect(result.requests.inDoubt).to.equal(1);
  });

  it('ends early on request', async () => {
    const url = await serve((_request, response) => response.writeHead(202).end());
    const result = await load({ url, rate: 50, seconds: 600, signal: AbortSignal.timeout(100) });
    expect(result.seconds).to.be.lessThan(300);
    expect(result.requests.acknowledged).to.equal(result.requests.sent);
  });
});
