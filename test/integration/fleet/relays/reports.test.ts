import { expect } from 'chai';
import { startIngest } from '../../../../services/ingest/app.ts';
import { startWorker } from '../../../../services/worker/index.ts';
import type { Service } from '#base/runtime';
import { aRelayReport } from '../../../support/builders/relay-reports.ts';
import { appendRelayReports, readTopic } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Post, bodyOf, post, problemOf } from '../../../support/requests/post.ts';
import { FRONTEND_TOKEN, sharedWorld } from '../../../support/world.ts';

const PATH = '/api/client/metrics/edge';

describe('reports of relays', () => {
  const world = sharedWorld({ RATE_LIMIT_PER_MINUTE: '0' });
  let ingest: Service;

  before(async () => {
    ingest = await world.run((config, log) => startIngest(config, log));
    await world.run((config, log) => startWorker(config, log, rethrow));
    await eventually(
      () => report('warm-up'),
      ({ status }) => status === 202,
    );
  });

  it('are acknowledged with 202 and stored: the newest state in Postgres, each report in ClickHouse', async () => {
    const { status, text } = await report('one', {
      connectedEdges: [aRelayReport({ identifier: 'behind-one' })],
    });
    expect([status, text]).to.deep.equal([202, '']);
    const states = await eventually(
      () => statesOf(['one', 'behind-one']),
      (rows) => rows.length === 2,
    );
    const shared = {
      app_name: 'unleash-edge',
      version: '20.4.1',
      region: 'eu-west-1',
      root_id: 'one',
      requests: '130',
    };
    expect(states).to.deep.equal([
      {
        ...shared,
        relay_id: 'behind-one',
        parent_id: 'one',
        depth: 1,
        memory_bytes: '52428800',
        state: 'reporting',
      },
      { ...shared, relay_id: 'one', parent_id: null, depth: 0, memory_bytes: '52428800', state: 'reporting' },
    ]);
    const rows = await world.query(
      `select relay_id, parent_id, requests, reports, nested_relays, streaming_clients, features_latency_ms
       from relays_by_minute
       where relay_id in ('one', 'behind-one')
       order by relay_id`,
    );
    const measures = { requests: '130', reports: '1', streaming_clients: 3, features_latency_ms: 11.5 };
    expect(rows).to.deep.equal([
      { relay_id: 'behind-one', parent_id: 'one', ...measures, nested_relays: 0 },
      { relay_id: 'one', parent_id: '', ...measures, nested_relays: 1 },
    ]);
  });

  it('may be as short as an old relay sends them', async () => {
    expect(
      (await post(ingest, { path: PATH, body: '{"identifier":"bare","appName":"old-edge"}' })).status,
    ).to.equal(202);
    await eventually(
      () => statesOf(['bare']),
      (rows) => rows.length === 1,
    );
  });

  for (const [name, parts, status] of [
    ['no token', { authorization: '' }, 401],
    ['an unknown token', { authorization: '*:production.nobody-knows-this-secret' }, 401],
    ['a frontend token', { authorization: FRONTEND_TOKEN }, 403],
    ['a text', { contentType: 'text/plain' }, 415],
    ['no JSON', { body: '{' }, 400],
    ['a batch', { body: bodyOf() }, 400],
    ['a body above the limit', { body: JSON.stringify(aRelayReport({ more: 'x'.repeat(102_400) })) }, 413],
  ] as const satisfies readonly (readonly [string, Partial<Post>, number])[])
    it(`with ${name} get ${status}, and nothing is stored`, async () => {
      const before = await countMessages();
      const answer = await post(ingest, { path: PATH, body: JSON.stringify(aRelayReport()), ...parts });
      expect(answer.status).to.equal(status);
      expect(problemOf(answer)).to.include.keys('id', 'name', 'message');
      expect(await countMessages()).to.equal(before);
    });

  it('name the wrong member, but not its value', async () => {
    const problem = problemOf(await report('one', { edgeVersion: 20 }));
    expect(problem.details).to.deep.equal([
      { path: '/edgeVersion', message: 'must be string or null, is number' },
    ]);
  });

  it('are left out if nobody can read them, and later ones are stored', async () => {
    await appendRelayReports(world, ['no report', '{"v":1}']);
    await report('after-the-unreadable');
    await eventually(
      () => statesOf(['after-the-unreadable']),
      (rows) => rows.length === 1,
    );
  });

  it('of more relays than a fleet has get 429 until the next minute', async () => {
    const nested = Array.from({ length: 99 }, (_, index) => ({ identifier: `n${index}`, appName: 'edge' }));
    const statuses = [];
    // Forty have room in a minute, and one minute may end meanwhile.
    for (let sent = 0; sent < 90; sent += 1)
      statuses.push((await report('crowd', { connectedEdges: nested })).status);
    expect(statuses).to.include(429);
  });

  function report(identifier: string, members: object = {}) {
    return post(ingest, { path: PATH, body: JSON.stringify(aRelayReport({ identifier, ...members })) });
  }

  async function countMessages(): Promise<number> {
    return (await readTopic(world, world.config.kafka.topics.relayReports)).length;
  }

  async function statesOf(ids: readonly string[]) {
    const { rows } = await world.db.query<object>(
      `select app_name, relay_id, parent_id, root_id, depth, version, region, requests, memory_bytes, state
       from relay_states
       where relay_id = any ($1)
       order by relay_id`,
      [ids],
    );
    return rows;
  }
});

function rethrow(error: unknown): void {
  throw error;
}
