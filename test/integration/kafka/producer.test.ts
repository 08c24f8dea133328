import { expect } from 'chai';
import { createKafka, createMessageProducer, readWatermarks } from '#kafka';
import { type World, createWorld } from '../../support/world.ts';

describe('a producer of messages, on Kafka', () => {
  let world: World;

  before(async () => {
    world = await createWorld();
  });
  after(() => world.dispose());

  it('reports "not stored" for a send while the producer is disconnecting or disconnected', async () => {
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 0, log: world.log });
    const topic = world.config.kafka.topics.counts;
    const producer = createMessageProducer(kafka);
    await producer.send(topic, 0, [{ value: 'stored' }]);
    const disconnected = producer.disconnect();
    const outcomes = [await producer.send(topic, 0, [{ value: 'while' }])];
    await disconnected;
    outcomes.push(await producer.send(topic, 0, [{ value: 'after' }]));

    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['not-stored', 'not-stored']);
    expect((await readWatermarks(kafka, topic)).get(0)?.high).to.equal(1n);
  });

  it('reports "not stored" for a send to a partition that does not exist', async () => {
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 0, log: world.log });
    const producer = createMessageProducer(kafka);
    const outcome = await producer.send(world.config.kafka.topics.counts, 99, [{ value: 'nowhere' }]);
    await producer.disconnect();

    expect(outcome).to.deep.include({ outcome: 'not-stored' });
  });
});
