import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from '#base/runtime';
import { createUnleash } from '#unleash/client';
import { type SeenTokens, createSeenTokens } from '../../../../services/ingest/unleash/seen-tokens.ts';
import { type Upstream, startUpstream } from '../../../support/servers/upstream/upstream.ts';

const RELAY = '*:production.of-the-relay';

describe('tokens that relays have seen', () => {
  let upstream: Upstream;
  let registry: Registry;
  let seen: SeenTokens;
  const written: string[] = [];

  beforeEach(async () => {
    upstream = await startUpstream((_, response) => response.writeHead(202).end());
    registry = new Registry();
    written.length = 0;
    const log = pino({}, { write: (line: string) => void written.push(line) });
    seen = createSeenTokens({ unleash: createUnleash({ url: upstream.url }), registry, log });
  });
  afterEach(async () => {
    await seen.stop();
    await upstream.close();
  });

  it('reach Unleash once, with the token of their relay', async () => {
    seen.note(['a', 'b'], RELAY);
    seen.note(['b', 'a'], RELAY);
    await seen.stop();
    seen.note(['a'], RELAY);
    await seen.stop();
    expect(
      upstream.requests.map(({ path, headers, body }) => [path, headers.authorization, body]),
    ).to.deep.equal([
      ['/api/client/metrics/bulk', RELAY, '{"applications":[],"metrics":[],"seenTokens":["a","b"]}'],
    ]);
    expect(await outcomes()).to.deep.equal({ sent: 2, failed: 0, left_out: 0 });
  });

  it('are sent in bodies that Unleash accepts, for each relay', async () => {
    const secrets = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(500, 'x'));
    seen.note(secrets, RELAY);
    seen.note(['other'], '*:development.of-another-relay');
    await seen.stop();
    const lengths = upstream.requests.map(({ body }) => body.length);
    expect(lengths).to.have.length(3);
    expect(Math.max(...lengths)).to.be.below(102_400);
  });

  it('are given up if Unleash does not accept them, and never logged', async () => {
    upstream.respond = (_, response) => response.writeHead(401).end();
    seen.note(['very-secret'], RELAY);
    await seen.stop();
    await upstream.close();
    seen.note(['very-secret-too'], RELAY);
    await seen.stop();
    expect(await outcomes()).to.deep.equal({ sent: 0, failed: 2, left_out: 0 });
    expect(written.join('')).to.not.include('secret');
  });

  it('are bounded, for each relay', async () => {
    seen.note(
      Array.from({ length: 2501 }, (_, index) => `token-${index}`),
      RELAY,
    );
    seen.note(['other'], '*:development.of-another-relay');
    await seen.stop();
    const { sent = 0, failed = 0, left_out: leftOut } = await outcomes();
    expect(leftOut).to.equal(1);
    // A slow machine does not send all of them before the deadline of `stop`.
    expect(sent + failed).to.equal(2501);
  });

  async function outcomes(): Promise<Record<string, number>> {
    const { values } = (await registry.getMetricsAsJSON()).find(
      ({ name }) => name === 'flagmeter_ingest_seen_tokens_total',
    ) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels['outcome']), value]));
  }
});
