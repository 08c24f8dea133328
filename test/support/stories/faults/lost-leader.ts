import type { Engine } from '../../../../tools/stack/index.ts';
import { readController, readLeaderEpochs, readSegment } from '../../stack/engines/kafka/broker-files.ts';
import { readPartitions } from '../../stack/engines/kafka/kafka-log.ts';
import { type OwnKafkaCluster, freeze } from '../../stack/engines/own-engines.ts';
import { eventually } from '../../eventually.ts';
import { readGauge } from '../../stack/processes/gauges.ts';
import { senderTo } from '../../requests/sender-to.ts';
import type { Random } from '../../builders/random.ts';
import type { Entry } from '../ledger.ts';
import { type Answer, bodyOf, deliver, push, randomMetrics } from '../load.ts';
import type { Scene } from '../scene.ts';

export type Stage = { readonly scene: Scene; readonly cluster: OwnKafkaCluster; readonly random: Random };

/**
 * A leader loses a partition while it waits for a follower to acknowledge a batch. The steps:
 *
 *   1. freeze a follower, which stays in sync
 *   2. send a batch, until the other follower has it
 *   3. shut the leader down in order, until the other follower is the leader: the old one answers the send
 *   4. thaw the follower, which makes the batch visible to consumers
 *   5. wait until the new leader has rejected the next tries for so long that the circuit breaker opens
 *   6. restart the broker
 *
 * Needs a topic with min.insync.replicas = 3. Returns the batch with the fate that its relay learned.
 */
export async function loseLeader({ scene, cluster, random }: Stage): Promise<Entry> {
  const { topics, countsPartitions } = scene.world.config.kafka;
  const { place, leader, successor, follower } = await chooseRoles(scene, cluster);
  const sender = senderTo(place.partition, countsPartitions);
  const url = (): string => scene.cast.ingest.url;
  const { entry, answer } = await scene.load.whilePaused(async () => {
    const next = await openWithoutApplications({ scene, random, sender });
    await freeze(brokerOf(cluster, follower));
    const sending = push({ url: url(), body: bodyOf(next), sender, timeoutMs: PATIENCE_MS });
    await eventually(
      () => readSegment(cluster, successor, place),
      (segment) => segment.includes(next.tag),
    );
    const epochs = await readLeaderEpochs(cluster, successor, place);
    brokerOf(cluster, leader).signal('SIGTERM');
    await eventually(
      () => readLeaderEpochs(cluster, successor, place),
      (now) => now !== epochs,
    );
    brokerOf(cluster, follower).signal('SIGCONT');
    return { entry: next, answer: sending };
  });
  await eventually(
    () => readGauge(scene.cast.ingest, `flagmeter_breaker_open{topic="${topics.counts}"}`),
    (partitions) => partitions > 0,
  );
  // A broker that is killed while it stops is not admitted again for a while.
  await brokerOf(cluster, leader).exited;
  await cluster.restart(leader);
  entry.fate = fateOf(await answer);
  return entry;
}

/** Longer than ingest keeps a batch whose outcome is unknown, so that the only answer is that of ingest. */
const PATIENCE_MS = 40_000;

type Roles = {
  readonly place: { readonly topic: string; readonly partition: number };
  readonly leader: number;
  /** The next leader. */
  readonly successor: number;
  /** The follower that freezes. If it were the controller, no partition would get another leader. */
  readonly follower: number;
};

async function chooseRoles({ world }: Scene, cluster: OwnKafkaCluster): Promise<Roles> {
  const topic = world.config.kafka.topics.counts;
  const controller = await readController(cluster);
  const partitions = await readPartitions(world, topic);
  for (const { partition, leader, followers } of partitions) {
    const [successor, follower] = followers;
    if (successor === undefined || follower === undefined || follower === controller) continue;
    return { place: { topic, partition }, leader, successor, follower };
  }
  throw new Error(
    `the controller ${controller} is the last of each partition: ${JSON.stringify(partitions)}`,
  );
}

function brokerOf({ brokers }: OwnKafkaCluster, index: number): Engine {
  const broker = brokers[index];
  if (broker === undefined) throw new RangeError(`there is no broker ${index}`);
  return broker;
}

/** A batch with applications would wait for another topic. */
async function openWithoutApplications({
  scene,
  random,
  sender,
}: Pick<Stage, 'scene' | 'random'> & { readonly sender: string }): Promise<Entry> {
  const entry = scene.ledger.open(randomMetrics(random));
  if (entry.applications.length === 0) return entry;
  await deliver(entry, sender, () => scene.cast.ingest.url);
  return scene.ledger.open(randomMetrics(random));
}

function fateOf(answer: Answer): Entry['fate'] {
  if (answer === 'none' || answer === 'not sent') return 'unknown';
  return answer.status === 202 ? 'acknowledged' : 'rejected';
}
