import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';
import { Unleash } from 'unleash-client';
import { inBackground } from '#base/runtime';

type Counts = { readonly yes: number; readonly no: number };
type Answer = (response: ServerResponse) => unknown;

const withStatus =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status).end();
const broken: Answer = (response) => response.destroy();

/** How docs/use/senders/sdks.md says that these two SDKs react. */
describe('an SDK whose post fails', () => {
  let server: Server;
  let url: string;
  let answer: Answer;
  let counts: number[];
  beforeEach(async () => {
    counts = [];
    server = createServer((request, response) => {
      inBackground(receive(request, response));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { bucket } = (await json(request)) as { bucket: { toggles: { basket: Counts } } };
    const { yes, no } = bucket.toggles.basket;
    counts.push(yes + no);
    answer(response);
  }

  for (const [name, failure, next] of [
    ['a 503', withStatus(503), 'after two intervals'],
    ['a 429', withStatus(429), 'after two intervals'],
    ['a 404', withStatus(404), 'after two intervals'],
    ['a broken connection', broken, 'after one interval'],
    ['a 400', withStatus(400), 'never'],
    ['a 413', withStatus(413), 'never'],
    ['a 401', withStatus(401), 'never'],
    ['a 403', withStatus(403), 'never'],
  ] as const)
    it(`keeps its counts after ${name}, and posts again ${next}: Node`, async () => {
      const metrics = nodeMetrics(url);
      metrics.count('basket', true);
      answer = failure;
      await metrics.sendMetrics();
      expect(nextOf(metrics)).to.equal(next);
      metrics.stop();
      expect(counts).to.deep.equal([1]);
    });

  it('adds what it kept to the next body: Node', async () => {
    const metrics = nodeMetrics(url);
    metrics.count('basket', true);
    answer = withStatus(503);
    await metrics.sendMetrics();
    metrics.count('basket', true);
    answer = withStatus(202);
    await metrics.sendMetrics();
    metrics.stop();
    expect(counts).to.deep.equal([1, 2]);
  });

  for (const [name, failure] of [
    ['a 503', withStatus(503)],
    ['a broken connection', broken],
  ] as const)
    it(`drops its counts after ${name}: JavaScript in browsers`, async () => {
      const client = browserClient(`${url}/api/frontend`);
      client.isEnabled('basket');
      answer = failure;
      await silently(() => client.sendMetrics());
      client.isEnabled('basket');
      answer = withStatus(202);
      await client.sendMetrics();
      expect(counts).to.deep.equal([1, 1]);
    });

  it('has the version that the document names', () => {
    const document = readFileSync('docs/use/senders/sdks.md', 'utf8');
    for (const [name, library] of [
      ['Node', 'unleash-client'],
      ['JavaScript', 'unleash-proxy-client'],
    ] as const)
      expect(document).to.include(`| ${name} ${versionOf(library)}`);
  });
});

const INTERVAL_MS = 3_600_000;

/** What the SDK calls by its timers, which is private. */
type NodeMetrics = {
  count(name: string, isEnabled: boolean): void;
  sendMetrics(): Promise<void>;
  stop(): void;
  /** The one that it has set for its next post. */
  readonly timer?: { readonly _idleTimeout: number };
};

function nodeMetrics(url: string): NodeMetrics {
  const sdk = new Unleash({
    appName: 'shop',
    url: `${url}/api/`,
    metricsInterval: INTERVAL_MS,
    disableAutoStart: true,
  });
  return (sdk as unknown as { metrics: NodeMetrics }).metrics;
}

function nextOf({ timer }: NodeMetrics): string {
  if (timer === undefined) return 'never';
  return timer._idleTimeout === INTERVAL_MS ? 'after one interval' : 'after two intervals';
}

function browserClient(url: string): UnleashClient {
  return new UnleashClient({
    url,
    clientKey: 'key',
    appName: 'shop',
    refreshInterval: 0,
    metricsInterval: 0,
    metricsIntervalInitial: 0,
    storageProvider: new InMemoryStorageProvider(),
    fetch,
  });
}

/** It prints errors to the console of the browser. */
async function silently(work: () => Promise<unknown>): Promise<void> {
  const { error } = console;
  Object.assign(console, { error: () => undefined });
  try {
    await work();
  } finally {
    Object.assign(console, { error });
  }
}

function versionOf(library: string): string {
  const { version } = JSON.parse(readFileSync(`node_modules/${library}/package.json`, 'utf8')) as {
    version: string;
  };
  return version.split('.').slice(0, 2).join('.');
}
