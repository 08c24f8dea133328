import { expect } from 'chai';
import type { Admin } from 'kafkajs';
import { createKafka } from '#core/kafka';
import { type OwnEngine, ownKafka } from '../../support/stack/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { describeNightly } from '../../support/nightly.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { type World, createWorld, untilReady } from '../../support/world.ts';

/**
 * The offsets topic. Kafka creates it for the first group, if there are as many brokers as its replication factor
 * requires.
 */
const GROUPS_TOPIC = '__consumer_offsets';

describeNightly('a worker whose group has no coordinator', () => {
  let kafka: OwnEngine;
  let world: World;

  before(async () => {
    kafka = await ownKafka({ settings: { 'offsets.topic.replication.factor': '2' } });
    world = await createWorld({ KAFKA_BROKERS: kafka.address });
  });
  after(async () => {
    await world.dispose();
    await kafka.dispose();
  });

  it('waits for one for longer than kafkajs retries, and then counts', async () => {
    const [ingest, worker] = await Promise.all([world.fork('ingest'), world.launch('worker')]);
    expect((await post(ingest, { body: bodyOf({ metrics: [aFreshMetric()] }) })).status).to.equal(202);
    await eventually(
      () => worker.readLog(),
      (log) => log.split('the consumer begins again').length > 2,
      60_000,
    );
    await createGroupsTopic();
    await untilReady(worker.url);
    const { total } = await world.settled();

    expect(total.counted).to.equal(1);
    expect(await worker.stop()).to.equal(0);
  });

  it('waits for one that is lost while the worker is a member of the group', async () => {
    const worker = await world.fork('worker');
    await withAdmin((admin) => admin.deleteTopics({ topics: [GROUPS_TOPIC] }));
    await eventually(
      () => worker.readLog(),
      (log) => log.split('the consumer begins again').length > 2,
      60_000,
    );
    await createGroupsTopic();
    await untilReady(worker.url);

    expect(await worker.stop()).to.equal(0);
  });

  it('stops in order while it waits', async () => {
    expect(await (await world.launch('worker')).stop()).to.equal(0);
  });

  async function createGroupsTopic(): Promise<void> {
    const configEntries = [{ name: 'cleanup.policy', value: 'compact' }];
    const topic = { topic: GROUPS_TOPIC, numPartitions: 1, replicationFactor: 1, configEntries };
    await withAdmin((admin) => admin.createTopics({ topics: [topic] }));
  }

  async function withAdmin(act: (admin: Admin) => Promise<unknown>): Promise<void> {
    const { config, log } = world;
    const admin = createKafka({ access: config.kafka, clientId: 'test', retries: 5, log }).admin();
    await admin.connect();
    await act(admin);
    await admin.disconnect();
  }
});
