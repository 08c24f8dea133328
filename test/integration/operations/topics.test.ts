import { expect } from 'chai';
import { createKafka, readTopicStates } from '#core/kafka';
import { setUp } from '#tooling/operations';
import { type Config, FlagmeterError, readConfig } from '#base/runtime';
import { setTopicConfig } from '../../support/stack/engines/kafka/topic-config.ts';
import { eventually } from '../../support/eventually.ts';
import { sharedWorld } from '../../support/world.ts';

describe('setting up existing topics', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '2' });

  it('corrects settings that lose nothing, and leaves other settings unchanged', async () => {
    const { counts } = world.config.kafka.topics;
    // Kafka resets all others: retention, time of appending, size.
    await setTopicConfig(world, counts, { name: 'segment.ms', value: '123456789' });
    expect((await readCounts()).config).to.include({ 'message.timestamp.type': 'CreateTime' });

    await setUp(withSettings({ MAX_BODY_BYTES: '200000' }), world.log);
    const corrected = await eventually(
      readCounts,
      ({ config }) => config['message.timestamp.type'] === 'LogAppendTime',
    );
    expect(corrected.config).to.include({
      'segment.ms': '123456789',
      'max.message.bytes': String(8 * 200_000 + 64 * 1024 + 4096),
      'retention.ms': String(168 * 3_600_000),
      'retention.bytes': '-1',
    });
  });

  it('adds partitions', async () => {
    await setUp(withSettings({ KAFKA_COUNTS_PARTITIONS: '3' }), world.log);
    await eventually(readCounts, ({ replicas }) => replicas.length === 3);
    await setUp(world.config, world.log);
    expect((await readCounts()).replicas).to.have.length(3);
  });

  it('refuses changes that only an operator may make, with one sentence for each topic', async () => {
    const rejection: unknown = await setUp(withSettings({ KAFKA_RETENTION_HOURS: '24' }), world.log).catch(
      (error: unknown) => error,
    );
    expect(rejection).to.be.instanceOf(FlagmeterError);
    const lines = (rejection as FlagmeterError).message.split('\n');
    expect(lines).to.have.length(4);
    for (const line of lines)
      expect(line).to.match(/retention\.ms=604800000 .* --add-config retention\.ms=86400000$/);
    expect((await readCounts()).config).to.include({ 'retention.ms': String(168 * 3_600_000) });
  });

  function withSettings(settings: Record<string, string>): Config {
    return readConfig({ ...world.env, ...settings });
  }

  async function readCounts() {
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 5, log: world.log });
    const { states } = await readTopicStates(kafka, [world.config.kafka.topics.counts]);
    const [state] = states;
    if (state === undefined) throw new Error('the topic is gone');
    return state;
  }
});
