import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readCoordinator, readLeader } from '../../support/stack/engines/kafka/kafka-log.ts';
import { type OwnKafkaCluster, ownKafkaCluster } from '../../support/stack/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

/** By day, one-broker.test.ts kills the only broker, and leaders move in the simulation. Three brokers take 15 s of CPU to start. */
describeStory('3 Kafka, three brokers', ({ random, rounds, open, expectHonest }) => {
  let cluster: OwnKafkaCluster;
  let dead: number | undefined;

  before(async () => {
    cluster = await ownKafkaCluster();
  });
  after(() => cluster.dispose());

  itNightly('lose and double nothing that was acknowledged when one is killed', async () => {
    const scene = await begin('2');
    await rounds(1, async (round) => {
      await reviveDead();
      const leader = await (round === 0
        ? readCoordinator(scene.world)
        : readLeader(scene.world, random.between(0, scene.world.config.kafka.countsPartitions - 1)));
      await scene.load.acknowledged(random.between(5, 20));
      kill(leader);
      await scene.load.acknowledged(10);
      // Two brokers are enough, even if the dead one kept the offsets of the group.
      if (round === 0) await scene.counted();
      else await sleep(random.between(0, 1500));
    });

    expect((await expectHonest(scene)).doubled).to.equal(0);
  });

  itNightly('give 503 while too few are in sync, and then lose and double nothing', async () => {
    await reviveDead();
    const scene = await begin('3');
    await rounds(1, async () => {
      const rejected = scene.ledger.count('rejected');
      kill(((await readLeader(scene.world, 0)) + 1) % cluster.brokers.length);
      await eventually(
        () => Promise.resolve(scene.ledger.count('rejected')),
        (now) => now > rejected + 5,
      );
      await reviveDead();
      await scene.load.acknowledged(20);
      await scene.counted();
    });

    expect((await expectHonest(scene)).doubled).to.equal(0);
  });

  function begin(inSync: string): Promise<Scene> {
    const env = {
      KAFKA_BROKERS: cluster.address,
      KAFKA_REPLICATION_FACTOR: '3',
      KAFKA_MIN_INSYNC_REPLICAS: inSync,
    };
    return open({ env, onlookers: 'at night' });
  }

  function kill(broker: number): void {
    cluster.brokers[broker]?.signal('SIGKILL');
    dead = broker;
  }

  /** The last one is not restarted, because a start costs as much as the story. */
  async function reviveDead(): Promise<void> {
    if (dead !== undefined) await cluster.restart(dead);
    dead = undefined;
  }
});
