import { type Client, ask } from './connection.ts';
import { ProtocolError } from './errors.ts';

type GroupOfTopic = { readonly groupId: string; readonly topic: string };
type Offset = { readonly partition: number; readonly offset: string };

export function createAdmin(world: Client) {
  const { brokers } = world;
  const offsetsOf = (topic: string) =>
    [...(brokers.topics.get(topic) ?? []).entries()].map(([partition, log]) => ({
      partition,
      low: String(log.start),
      high: String(log.replicatedTo),
      offset: String(log.replicatedTo),
    }));
  return {
    connect: () => ask(world, 'admin connects', () => undefined),
    disconnect: () => Promise.resolve(),
    describeCluster: () => ask(world, 'describe cluster', () => undefined),
    fetchTopicOffsets: (topic: string) => ask(world, 'fetch offsets', () => offsetsOf(topic)),
    fetchTopicMetadata: ({ topics }: { readonly topics: readonly string[] }) =>
      ask(world, 'fetch metadata', () => ({
        topics: topics.map((name) => ({
          name,
          partitions: (brokers.topics.get(name) ?? []).map((_, partitionId) => ({ partitionId, leader: 0 })),
        })),
      })),
    fetchOffsets: ({
      groupId,
      topics: [topic = ''],
    }: {
      readonly groupId: string;
      readonly topics: readonly string[];
    }) =>
      ask(world, 'fetch committed offsets', () => {
        const { committed } = brokers.groupOf(groupId, topic);
        const partitions = offsetsOf(topic).map(({ partition }) => {
          const { offset = '-1', metadata = '' } = committed.get(partition) ?? {};
          return { partition, offset, metadata: metadata === '' ? null : metadata };
        });
        return [{ topic, partitions }];
      }),
    setOffsets: ({ groupId, topic, partitions }: GroupOfTopic & { readonly partitions: readonly Offset[] }) =>
      ask(world, 'set offsets', () => {
        const group = brokers.groupOf(groupId, topic);
        if (!group.isEmpty) throw new ProtocolError('UNKNOWN_MEMBER_ID');
        for (const { partition, offset } of partitions)
          group.committed.set(partition, { offset, metadata: '' });
      }),
  };
}
