import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { fastestOfThree } from '../../../support/clock/fastest.ts';
import { eventually } from '../../../support/eventually.ts';
import { readGauge } from '../../../support/stack/processes/gauges.ts';
import { ask, openAnswer } from '../../../support/requests/ask.ts';
import { post } from '../../../support/requests/post.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { type Front, createFront, createFrontProcess } from './front.ts';

const STREAMING = '/api/client/streaming';
/** More than the socket pools of Node hold. */
const MANY = 300;

describe('a stream of server-sent events through flagmeter', () => {
  let upstream: RawUpstream;
  let front: Service;
  let dispose: Front['dispose'];
  before(async () => {
    ({ upstream, front, dispose } = await createFront());
  });
  after(() => dispose());
  beforeEach(async () => {
    await upstream.kill();
    await upstream.revive();
  });

  /** A stream and its server side. */
  async function openStream(): Promise<{ client: IncomingMessage; server: ServerResponse }> {
    const begun = new Promise<ServerResponse>((resolve) => {
      upstream.answer((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
        resolve(response);
      });
    });
    const client = await openAnswer(`${front.url}${STREAMING}`);
    return { client, server: await begun };
  }

  it('begins before the first event, and delivers each event at once', async () => {
    const { client, server } = await openStream();
    expect(client.headers['content-type']).to.equal('text/event-stream');
    for (const event of ['event: unleash-connected\n\n', 'event: unleash-updated\n\n']) {
      server.write(event);
      const [chunk] = (await once(client, 'data')) as [Buffer];
      expect(chunk.toString()).to.equal(event);
    }
    client.destroy();
  });

  it('ends at Unleash when the client leaves', async () => {
    const { client, server } = await openStream();
    const closed = once(server, 'close');
    client.destroy();
    await closed;
  });

  it('breaks off for the client if it breaks off at Unleash', async () => {
    const { client, server } = await openStream();
    const broken = once(client, 'error') as Promise<[NodeJS.ErrnoException]>;
    client.resume();
    server.destroy();
    expect((await broken)[0].code).to.equal('ECONNRESET');
  });

  it('leaves connections for others, however many streams there are', async () => {
    upstream.answer((request, response) => {
      if (request.url === STREAMING)
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      else response.end('features');
    });
    const streams = await Promise.all(
      Array.from({ length: MANY }, () => openAnswer(`${front.url}${STREAMING}`)),
    );
    await eventually(
      () => readGauge(front, 'flagmeter_pass_streams_open'),
      (open) => open === MANY,
    );
    expect((await ask(`${front.url}/api/client/features`)).body.toString()).to.equal('features');
    expect((await post(front)).status).to.equal(202);
    for (const stream of streams) stream.destroy();
    await eventually(
      () => readGauge(front, 'flagmeter_pass_requests_open'),
      (open) => open === 0,
    );
    await eventually(
      () => Promise.resolve(upstream.connections().open),
      (open) => open <= 1,
    );
  });

  it('is attempted once in three seconds by a client that reconnects at once, while Unleash has no streaming', async () => {
    upstream.answer((_request, response) => response.writeHead(404).end());
    const before = upstream.arrivals.length;
    const startedAt = performance.now();
    for (const path of [STREAMING, STREAMING])
      expect((await ask(`${front.url}${path}`)).status).to.equal(404);
    expect(performance.now() - startedAt).to.be.greaterThan(2900);
    expect(upstream.arrivals.length - before).to.equal(2);
    // Only streaming waits.
    const featuresMs = await fastestOfThree(async () => {
      expect((await ask(`${front.url}/api/client/features`)).status).to.equal(404);
    });
    expect(featuresMs).to.be.lessThan(2900);
    // And only until streaming works.
    const stream = async (): Promise<void> => {
      (await openStream()).client.destroy();
    };
    await stream();
    expect(await fastestOfThree(stream)).to.be.lessThan(2900);
  });

  it('forgets a client that leaves while it waits', async () => {
    upstream.answer((_request, response) => response.writeHead(404).end());
    await ask(`${front.url}${STREAMING}`);
    const before = upstream.arrivals.length;
    const left = new AbortController();
    const waiting = Promise.allSettled([fetch(`${front.url}${STREAMING}`, { signal: left.signal })]);
    await eventually(
      () => readGauge(front, 'flagmeter_pass_requests_open'),
      (open) => open === 1,
    );
    left.abort();
    expect((await waiting)[0].status).to.equal('rejected');
    await eventually(
      () => readGauge(front, 'flagmeter_pass_requests_open'),
      (open) => open === 0,
    );
    expect(upstream.arrivals.length).to.equal(before);
  });
});

describe('a flagmeter that gets SIGTERM while streams are open', () => {
  it('ends them as whole answers and exits with 0, long before its deadline', async () => {
    const { upstream, front, dispose } = await createFrontProcess('ingest');
    try {
      upstream.answer((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
      });
      const stream = await openAnswer(`${front.url}${STREAMING}`);
      const ended = once(stream.resume(), 'end');
      const code = front.stop();
      await ended;
      // At the deadline, its connection would be cut.
      expect(stream.complete).to.equal(true);
      expect(await code).to.equal(0);
    } finally {
      await dispose();
    }
  });
});
