import { expect } from 'chai';
import { type OwnKafkaCluster, ownKafkaCluster } from '../../support/stack/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import { usageOf } from '../../support/stories/counting.ts';
import type { Entry } from '../../support/stories/ledger.ts';
import { loseLeader } from '../../support/stories/faults/lost-leader.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

describeStory('3 Kafka, a leader that is shut down', ({ random, rounds, open, expectHonest }) => {
  let cluster: OwnKafkaCluster;

  before(async () => {
    // A broker that is frozen for a moment stays in sync, so that the leader waits for it.
    cluster = await ownKafkaCluster({ 'broker.session.timeout.ms': '9000' });
  });
  after(() => cluster.dispose());

  itNightly('never answers 503 for a batch that the next leader has', async () => {
    const scene = await open({ env: environment() });
    await rounds(1, async () => {
      const { fate, tag } = await loseLeaderUntil(scene, async () => (await countLateAnswers(scene)) > 0);
      expect(fate).not.to.equal('rejected');
      await scene.load.acknowledged(20);
      // Blocks of other partitions may be stored before the one with this batch.
      const usage = await eventually(
        () => usageOf(scene.world, tag),
        ({ yes }) => yes > 0,
        90_000,
      );
      expect(usage).to.deep.include({ yes: 1 });
    });

    const { doubled } = await expectHonest(scene);
    expect(doubled).to.equal(0);
  });

  itNightly('would be reported if the late answer were taken for a rejection', async () => {
    const scene = await open({
      env: environment(),
      preloadsOf: { ingest: ['mistake-lost-leader'] },
    });
    await loseLeaderUntil(scene, ({ fate }) => Promise.resolve(fate === 'rejected'));
    await scene.load.acknowledged(20);
    await scene.load.stop();

    const { doubled, lost } = await scene.ledger.examine(scene.world);
    expect(await scene.cast.ingest.readLog()).to.include('preload: took a lost leader for a rejection');
    expect(doubled).to.be.greaterThan(0);
    expect(lost).to.equal(0);
  });

  /** Repeats the fault: on a busy machine the send may time out before the leader loses the partition. */
  async function loseLeaderUntil(scene: Scene, isDone: (entry: Entry) => Promise<boolean>): Promise<Entry> {
    const entry = await loseLeader({ scene, cluster, random });
    if (await isDone(entry)) return entry;
    await scene.load.acknowledged(20);
    return loseLeaderUntil(scene, isDone);
  }

  /** Sends that a leader answered after it had lost the partition, whatever ingest makes of them. */
  async function countLateAnswers({ world, cast }: Scene): Promise<number> {
    const topic = `topic="${world.config.kafka.topics.counts}"`;
    const counts = ['unknown', 'not-stored'].map((outcome) =>
      readGauge(
        cast.ingest,
        `flagmeter_ingest_kafka_sends_total{${topic},outcome="${outcome}",reason="NOT_LEADER_FOR_PARTITION"}`,
      ),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count);
  }

  function environment(): Record<string, string> {
    return {
      KAFKA_BROKERS: cluster.address,
      KAFKA_REPLICATION_FACTOR: '3',
      KAFKA_MIN_INSYNC_REPLICAS: '3',
    };
  }
});
