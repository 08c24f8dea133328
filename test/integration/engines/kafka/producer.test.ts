import { expect } from 'chai';
import { createKafka, createMessageProducer, readWatermarks } from '#core/kafka';
import { setTopicConfig } from '../../../support/stack/engines/kafka/topic-config.ts';
import { readTopic } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';

describe('a producer of messages, on Kafka', () => {
  const world = sharedUncountedWorld();

  it('stores values, keys and headers as they were given, in their order', async () => {
    const topic = world.config.kafka.topics.deadLetters;
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 0, log: world.log });
    const producer = createMessageProducer(kafka);
    const large = Buffer.alloc(200_000, 'large');
    const outcomes = [
      await producer.send(topic, 0, [
        { value: 'größer' },
        { value: large, key: 'ключ', headers: { a: 'ä' } },
      ]),
      await producer.send(topic, 0, [{ value: null, key: 'gone' }]),
    ];
    await producer.disconnect();

    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['stored', 'stored']);
    expect(await readTopic(world, topic)).to.deep.equal([
      { key: undefined, value: Buffer.from('größer'), headers: {} },
      { key: 'ключ', value: large, headers: { a: 'ä' } },
      { key: 'gone', value: null, headers: {} },
    ]);
  });

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

  it('reports "not stored" for what the settings of a topic reject', async () => {
    const topic = world.config.kafka.topics.relayReports;
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 0, log: world.log });
    const producer = createMessageProducer(kafka);
    const now = Date.now.bind(Date);
    await setTopicConfig(world, topic, { name: 'cleanup.policy', value: 'compact' });
    const withoutKey = await producer.send(topic, 0, [{ value: 'without a key' }]);
    await setTopicConfig(world, topic, { name: 'message.timestamp.type', value: 'CreateTime' });
    Date.now = () => now() + 2 * 3_600_000; // Kafka accepts an hour
    const fromTheFuture = await producer.send(topic, 0, [{ value: 'from the future' }]);
    Date.now = now;
    const accepted = await producer.send(topic, 0, [{ value: 'accepted' }]);
    await producer.disconnect();

    expect(withoutKey).to.deep.equal({ outcome: 'not-stored', reason: 'INVALID_RECORD' });
    expect(fromTheFuture).to.deep.equal({ outcome: 'not-stored', reason: 'INVALID_TIMESTAMP' });
    expect(accepted).to.include({ outcome: 'stored' });
    expect((await readTopic(world, topic)).map(({ value }) => value?.toString())).to.deep.equal(['accepted']);
  });

  it('reports "not stored" for a send to a partition that does not exist', async () => {
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 0, log: world.log });
    const producer = createMessageProducer(kafka);
    const outcome = await producer.send(world.config.kafka.topics.counts, 99, [{ value: 'nowhere' }]);
    await producer.disconnect();

    expect(outcome).to.deep.include({ outcome: 'not-stored' });
  });
});
