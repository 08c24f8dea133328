import { expect } from 'chai';
import type { RequestListener } from 'node:http';
import { decodeRelayReport } from '#fleet/relays';
import type { Service } from '#base/runtime';
import { readTopic } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { aRelayReport } from '../../../support/builders/relay-reports.ts';
import { eventually } from '../../../support/eventually.ts';
import { post } from '../../../support/requests/post.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { CLIENT_TOKEN, type World } from '../../../support/world.ts';
import { type Front, createFront } from '../../ingest/pass-through/front.ts';

const PATH = '/api/client/metrics/edge';

describe('reports of relays in front of Unleash', () => {
  let upstream: RawUpstream;
  let world: World;
  let front: Service;
  let dispose: Front['dispose'];
  let bodies: string[];
  before(async () => {
    ({ upstream, world, front, dispose } = await createFront());
  });
  after(() => dispose());
  beforeEach(() => {
    bodies = [];
    answerWith(200);
  });

  it('go to Unleash byte by byte, and are stored as well', async () => {
    const body = bodyOf('whole', 90_000);
    const answer = await post(front, { path: PATH, body });
    expect([answer.status, answer.text]).to.deep.equal([200, 'of Unleash']);
    expect(bodies).to.deep.equal([body]);
    expect(await storedRequests('whole')).to.equal(130);
  });

  it('are stored with their numbers after a 404, because Edge then begins new ones', async () => {
    answerWith(404);
    expect((await post(front, { path: PATH, body: bodyOf('open-source') })).status).to.equal(404);
    expect(await storedRequests('open-source')).to.equal(130);
  });

  it('are stored without their numbers after a 500, because Edge sends these again', async () => {
    answerWith(500);
    expect((await post(front, { path: PATH, body: bodyOf('failed') })).status).to.equal(500);
    expect(await storedRequests('failed')).to.equal(0);
  });

  it('are stored without their numbers if the relay left before the answer', async () => {
    const leaving = new AbortController();
    upstream.answer((request) =>
      request.resume().once('end', () => {
        leaving.abort();
      }),
    );
    const { signal } = leaving;
    const headers = { authorization: CLIENT_TOKEN, 'content-type': 'application/json' };
    const sent = fetch(`${front.url}${PATH}`, { method: 'POST', headers, body: bodyOf('impatient'), signal });
    expect(await sent.catch((error: unknown) => error)).to.have.property('name', 'AbortError');
    expect(await storedRequests('impatient')).to.equal(0);
  });

  it('are stored while Unleash is down', async () => {
    await upstream.kill();
    expect((await post(front, { path: PATH, body: bodyOf('alone') })).status).to.equal(502);
    await upstream.revive();
    expect(await storedRequests('alone')).to.equal(0);
  });

  it('that we cannot store get the answer of Unleash all the same', async () => {
    const parts = [
      { body: '{' },
      { body: bodyOf('stranger'), authorization: 'nobody' },
      { body: 'x'.repeat(200_000) },
    ];
    for (const one of parts) expect((await post(front, { path: PATH, ...one })).status).to.equal(200);
    // Whatever Unleash answers, our copy is rejected, and for its own reason.
    expect(await eventually(readRejected, ({ too_large }) => too_large === 1)).to.deep.include({
      not_json: 1,
      too_large: 1,
      invalid: 0,
    });
    await post(front, { path: PATH, body: bodyOf('last') });
    await storedRequests('last');
    expect((await storedRelays()).map(({ relayId }) => relayId)).not.to.include('stranger');
  });

  /** How many bodies were rejected, by problem. */
  async function readRejected(): Promise<Record<string, number>> {
    const scraped = await (await fetch(`${front.url}/internal-backstage/prometheus`)).text();
    const counts = scraped.matchAll(/^flagmeter_ingest_rejected_bodies_total\{problem="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries(
      Array.from(counts, ([, problem = '', count]) => [problem, Number(count)] as const),
    );
  }

  function answerWith(status: number): void {
    const listener: RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.once('end', () => {
        bodies.push(body);
        response.writeHead(status).end('of Unleash');
      });
    };
    upstream.answer(listener);
  }

  function bodyOf(identifier: string, padding = 0): string {
    return JSON.stringify(aRelayReport({ identifier, unknown: 'x'.repeat(padding) }));
  }

  async function storedRelays() {
    const messages = await readTopic(world, world.config.kafka.topics.relayReports);
    return messages.flatMap(({ value }) => decodeRelayReport(value)?.relays ?? []);
  }

  async function storedRequests(identifier: string): Promise<number | undefined> {
    const relays = await eventually(storedRelays, (all) => all.some(({ relayId }) => relayId === identifier));
    return relays.find(({ relayId }) => relayId === identifier)?.requests;
  }
});
