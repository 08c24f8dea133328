import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { filesOf } from '../../../../../tools/stack/index.ts';
import type { OwnKafkaCluster } from '../own-engines.ts';

type Cluster = Pick<OwnKafkaCluster, 'directory' | 'brokers'>;
type TopicPartition = { readonly topic: string; readonly partition: number };

/** The first segment of a partition as a broker has it, also if too few others have it for a consumer to see it. */
export function readSegment(
  cluster: Cluster,
  broker: number,
  { topic, partition }: TopicPartition,
): Promise<Buffer> {
  return readFile(fileOf(cluster, broker, `${topic}-${partition}/${'0'.repeat(20)}.log`));
}

/** The leaders that a partition had, as a broker knows. The text changes when that broker becomes the leader. */
export function readLeaderEpochs(
  cluster: Cluster,
  broker: number,
  { topic, partition }: TopicPartition,
): Promise<string> {
  return readFile(fileOf(cluster, broker, `${topic}-${partition}/leader-epoch-checkpoint`), 'utf8');
}

/** The active controller, as an index into the brokers of the cluster. */
export async function readController(cluster: Cluster): Promise<number> {
  const states = await Promise.all(
    cluster.brokers.map(async (_, broker) => {
      const text = await readFile(fileOf(cluster, broker, '__cluster_metadata-0/quorum-state'), 'utf8');
      return JSON.parse(text) as { leaderId: number; leaderEpoch: number };
    }),
  );
  const [latest] = states.sort(
    (one, other) => other.leaderEpoch - one.leaderEpoch || other.leaderId - one.leaderId,
  );
  return (latest?.leaderId ?? 0) - 1;
}

function fileOf({ directory }: Cluster, broker: number, name: string): string {
  return path.join(filesOf(directory, `kafka-${broker + 1}`).data, 'log', name);
}
