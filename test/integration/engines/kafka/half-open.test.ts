import { expect } from 'chai';
import { consumeBatches, createKafka, openCommittedOffsets } from '#core/kafka';
import { createLog } from '#base/runtime';
import { eventually } from '../../../support/eventually.ts';
import { type TcpProxy, startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import {} from '../../../support/world.ts';

/** kafkajs treats such a broker as connected, and fails every request to it with "Broker not connected". */
describe('a broker that freezes before it answers the first request of a connection', () => {
  const log = createLog('test', 'fatal');
  const { signal } = new AbortController();
  const world = sharedUncountedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let proxy: TcpProxy;

  beforeEach(async () => {
    const [broker = ''] = world.config.kafka.brokers;
    proxy = await startTcpProxy(() => Number(broker.split(':').at(-1)));
    proxy.swallowAnswers();
  });
  afterEach(() => proxy.close());

  it('blocks no consumer from its group after the thaw', async () => {
    const consuming = consumeBatches(
      kafkaBehindProxy(),
      {
        groupId: `${world.env['KAFKA_TOPIC_PREFIX']}-late`,
        topic: world.config.kafka.topics.counts,
        minBytes: 1,
        maxBytesPerPartition: 1024,
        partitionsConcurrently: 1,
        log,
        signal,
        onCrash: () => undefined,
      },
      () => Promise.resolve(),
    );
    await thaw();
    const consumer = await consuming;
    await eventually(
      () => Promise.resolve(consumer.isJoined()),
      (isJoined) => isJoined,
    );
    await consumer.stop();
  });

  it('blocks nobody from reading committed offsets after the thaw', async () => {
    const opening = openCommittedOffsets(kafkaBehindProxy(), { groupId: 'nobody', log, signal });
    await thaw();
    const offsets = await opening;

    expect(await offsets.read(world.config.kafka.topics.counts, 0)).to.equal(undefined);
    await offsets.close();
  });

  async function thaw(): Promise<void> {
    await proxy.swallowed();
    await proxy.mend();
  }

  function kafkaBehindProxy(): ReturnType<typeof createKafka> {
    const access = { ...world.config.kafka, brokers: [`127.0.0.1:${proxy.port}`] };
    return createKafka({ access, clientId: 'late', retries: 2, log });
  }
});
