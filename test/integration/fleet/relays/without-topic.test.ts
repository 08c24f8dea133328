import { expect } from 'chai';
import { setUp } from '#tooling/operations';
import { aRelayReport } from '../../../support/builders/relay-reports.ts';
import { deleteTopic } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { sharedWorld } from '../../../support/world.ts';

const REPORT = { path: '/api/client/metrics/edge', body: JSON.stringify(aRelayReport()) };

describe('without the topic of relay reports', () => {
  const world = sharedWorld();
  let ingest: ServiceProcess;
  before(async () => {
    await deleteTopic(world, world.config.kafka.topics.relayReports);
    [ingest] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
  });

  it('ingest and worker are ready, and count', async () => {
    expect((await post(ingest, REPORT)).status).to.equal(503);
    const body = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });
    expect((await post(ingest, { body })).status).to.equal(202);
    expect((await world.settled()).total).to.include({ counted: 1 });
    expect(await ingest.readLog()).to.include(world.config.kafka.topics.relayReports);
  });

  it('reports are stored as soon as it is there again, without a restart', async () => {
    await setUp(world.config, world.log);
    await eventually(
      () => post(ingest, REPORT),
      ({ status }) => status === 202,
    );
    await eventually(
      async () => (await world.db.query('select relay_id from relays')).rowCount,
      (relays) => relays === 1,
    );
  });
});
