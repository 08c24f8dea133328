import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { setUp } from '#operations';
import { readConfig } from '#runtime';
import { readCoordinator, readLeader } from '../../support/engines/kafka/kafka-log.ts';
import { ownKafkaCluster } from '../../support/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { describeStory } from '../../support/stories/story.ts';

describeStory('3 Kafka, three brokers', ({ random, rounds, open, expectHonest }) => {
  let cluster: Awaited<ReturnType<typeof ownKafkaCluster>>;

  before(async () => {
    cluster = await ownKafkaCluster();
  });
  after(() => cluster.dispose());

  it('lose and double nothing that was acknowledged when one is killed, and give 503 while too few are in sync', async () => {
    const scene = await open({
      env: {
        KAFKA_BROKERS: cluster.address,
        KAFKA_REPLICATION_FACTOR: '3',
        KAFKA_MIN_INSYNC_REPLICAS: '2',
      },
    });
    await rounds(1, async (round) => {
      const leader = await (round === 0
        ? readCoordinator(scene.world)
        : readLeader(scene.world, random.between(0, scene.world.config.kafka.countsPartitions - 1)));
      await scene.load.acknowledged(random.between(5, 40));
      cluster.brokers[leader]?.signal('SIGKILL');
      await scene.load.acknowledged(10);
      // Two brokers are enough, even if the dead one kept the offsets of the group.
      if (round === 0) await scene.counted();
      else await sleep(random.between(0, 1500));
      await cluster.restart(leader);
      await scene.load.acknowledged(10);
      await scene.counted();
    });

    const { env, log } = scene.world;
    await setUp(readConfig({ ...env, KAFKA_MIN_INSYNC_REPLICAS: '3' }), log);
    await rounds(1, async () => {
      const rejected = scene.ledger.count('rejected');
      const follower = ((await readLeader(scene.world, 0)) + 1) % cluster.brokers.length;
      cluster.brokers[follower]?.signal('SIGKILL');
      await eventually(
        () => Promise.resolve(scene.ledger.count('rejected')),
        (now) => now > rejected + 5,
      );
      await cluster.restart(follower);
      await scene.load.acknowledged(20);
      await scene.counted();
    });

    expect((await expectHonest(scene)).doubled).to.equal(0);
  });
});
