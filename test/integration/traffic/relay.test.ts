import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createRandom } from '#tooling/traffic';
import { type Clock, type Relay, createRelay, realClock } from '../../../tools/relay/index.ts';
import { inBackground } from '#base/runtime';

type Answer = number | 'nothing' | 'reset';
type Arrival = { readonly headers: IncomingHttpHeaders; readonly url: string; readonly body: string };

const ONE_YES = { featureName: 'f', appName: 'a', environment: 'production', at: Date.now(), yes: 1 };
const MAX_IN_FLIGHT = 16;
const SHORT_TIMEOUT_MS = 5000;
const LONG_TIMEOUT_MS = 30_000;
/** The time without an answer once the maximum of requests is open. One request too many would arrive in it. */
const ROOM_FOR_ONE_MORE_MS = 50;

/** Waits a hundredth of the time. */
const hastyClock: Clock = { ...realClock, sleep: (ms, signal) => realClock.sleep(ms / 100, signal) };

describe('a relay over HTTP', () => {
  let answers: Answer[];
  let arrivals: Arrival[];
  let relay: Relay;
  /** Resolves when the server may answer. */
  let answering: () => Promise<void>;
  const server = createServer((request, response) => {
    inBackground(receive(request, response));
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    answers = [];
    arrivals = [];
    answering = () => Promise.resolve();
    relay = relayOf({ timeoutMs: LONG_TIMEOUT_MS });
  });
  afterEach(() => {
    relay.close();
  });

  function relayOf({ timeoutMs }: { readonly timeoutMs: number }): Relay {
    const { port } = server.address() as AddressInfo; // an address is a string for pipes only
    return createRelay({
      url: `http://127.0.0.1:${port}`,
      tokens: { production: '*:production.secret' },
      random: createRandom(1),
      clock: hastyClock,
      timeoutMs,
    });
  }

  /** Returns the next of `answers`, or 202 if there is none. */
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = answers[arrivals.length] ?? 202;
    const arrival = { headers: request.headers, url: request.url ?? '', body: '' };
    arrivals.push(arrival);
    arrival.body = await text(request).catch(() => 'cut off');
    if (answer === 'reset') request.socket.resetAndDestroy();
    await answering();
    if (typeof answer === 'number') response.writeHead(answer).end();
  }

  function bodies(): string[] {
    return arrivals.map(({ body }) => body);
  }

  it('delivers a batch as Edge does', async () => {
    relay.record(ONE_YES);
    await relay.push();
    expect(arrivals).to.have.lengthOf(1);
    const [{ headers, url, body }] = arrivals as [Arrival];
    expect(url).to.equal('/api/client/metrics/bulk');
    expect(headers).to.include({
      authorization: '*:production.secret',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'unleash-appname': 'unleash-edge',
      'unleash-instanceid': relay.connectionId,
      'unleash-connection-id': relay.connectionId,
    });
    expect(headers).not.to.have.any.keys('content-encoding', 'transfer-encoding');
    expect(relay.ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['acknowledged']);
  });

  it('sends the same bytes again after a reset and after silence', async () => {
    answers = ['reset', 'nothing', 202];
    relay = relayOf({ timeoutMs: SHORT_TIMEOUT_MS });
    relay.record({ ...ONE_YES, variants: { blue: 1 } });
    await relay.push();
    expect(bodies()).to.have.lengthOf(3);
    expect(new Set(bodies())).to.have.property('size', 1);
    const attempts = relay.ledger.deliveries.flatMap((delivery) => delivery.attempts);
    expect(attempts.map(({ status }) => status)).to.deep.equal([undefined, undefined, 202]);
  });

  it('gives up after six tries and merges the counts into the next body', async () => {
    answers = [...Array<Answer>(5).fill('reset'), 'nothing'];
    relay = relayOf({ timeoutMs: SHORT_TIMEOUT_MS });
    relay.record(ONE_YES);
    await relay.push();
    relay.record(ONE_YES);
    await relay.push();
    expect(new Set(bodies().slice(0, 6))).to.have.property('size', 1);
    expect(bodies()[6]).to.include('"yes":2');
    const outcomes = relay.ledger.deliveries.map(({ outcome }) => outcome);
    expect(outcomes).to.deep.equal(['unknown', 'acknowledged']);
    expect(relay.ledger.acknowledged()).to.have.nested.property('[0].yes', 2);
  });

  for (const status of [429, 500, 503, 415]) {
    it(`merges a batch back after ${status}, without a second try`, async () => {
      answers = [status];
      relay.record(ONE_YES);
      await relay.push();
      expect(relay.ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['merged-back']);
      relay.record(ONE_YES);
      await relay.push();
      expect(bodies()).to.have.lengthOf(2);
      expect(bodies()[1]).to.include('"yes":2');
    });
  }

  for (const status of [400, 401, 403, 404, 413]) {
    it(`drops a batch after ${status}`, async () => {
      answers = [status];
      relay.record(ONE_YES);
      await relay.push();
      await relay.push();
      expect(bodies()).to.have.lengthOf(1);
      expect(relay.ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['dropped']);
      expect(relay.ledger.acknowledged()).to.deep.equal([]);
    });
  }

  it('has at most 16 requests in flight', async () => {
    let [open, max] = [0, 0];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    answering = () => released;
    const counting = (_request: IncomingMessage, response: ServerResponse): void => {
      open += 1;
      max = Math.max(max, open);
      response.once('close', () => (open -= 1));
      if (open === MAX_IN_FLIGHT) setTimeout(release, ROOM_FOR_ONE_MORE_MS);
    };
    server.prependListener('request', counting);
    for (let index = 0; index < 12_000; index += 1)
      relay.record({ ...ONE_YES, featureName: `feature-${index}` });
    await relay.push();
    server.off('request', counting);
    expect(relay.ledger.deliveries.length).to.be.greaterThan(20);
    expect(max).to.equal(MAX_IN_FLIGHT);
    expect(relay.ledger.acknowledged()).to.have.lengthOf(12_000);
  });
});
