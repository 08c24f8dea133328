import type { Kafka } from 'kafkajs';
import { type Log, type Troubles, untilReached } from '#base/runtime';
import { orDisconnect } from '../or-disconnect.ts';
import { fetchWatermarks, withAdmin } from '../topics/topics.ts';

export type CommittedOffset = { readonly offset: bigint; readonly metadata: string | null };

/** Kafka answers -1 if a group has committed nothing. If an offset has left the log, kafkajs commits -2, the start of the log. */
const NO_OFFSETS: ReadonlySet<string> = new Set(['-1', '-2']);

type OffsetsOptions = {
  readonly groupId: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly troubles?: Troubles | undefined;
};

/** Reads what a consumer group has committed, with its metadata. It keeps one connection, which the caller closes. */
export type CommittedOffsets = {
  /** Undefined if nothing was ever committed, or if kafkajs has forgotten it because the messages there were deleted. */
  read(topic: string, partition: number): Promise<CommittedOffset | undefined>;
  /** The first offset that the log still has. */
  readLogStart(topic: string, partition: number): Promise<bigint>;
  close(): Promise<void>;
};

/** Waits for Kafka until `signal` ends the wait; then nothing can be read. */
export async function openCommittedOffsets(
  kafka: Kafka,
  { groupId, ...waiting }: OffsetsOptions,
): Promise<CommittedOffsets> {
  const admin = kafka.admin({ retry: { retries: 5 } });
  const connect = async (): Promise<void> => {
    await admin.connect();
    await admin.describeCluster(); // a connection alone does not show that the broker answers
  };
  await untilReached(() => orDisconnect(admin, connect), { engine: 'Kafka', ...waiting });
  const ask = <T>(question: () => Promise<T>): Promise<T> =>
    orDisconnect(admin, async () => {
      await admin.connect(); // does nothing while it is connected
      return question();
    });
  return {
    async read(topic, partition) {
      const [answer] = await ask(() => admin.fetchOffsets({ groupId, topics: [topic] }));
      const committed = answer?.partitions.find((item) => item.partition === partition);
      if (committed === undefined || NO_OFFSETS.has(committed.offset)) return undefined;
      return { offset: BigInt(committed.offset), metadata: committed.metadata };
    },
    async readLogStart(topic, partition) {
      const watermarks = await ask(() => fetchWatermarks(admin, topic));
      const { low } = watermarks.get(partition) ?? {};
      if (low === undefined) throw new Error(`${topic} has no partition ${partition}`);
      return low;
    },
    close: () => admin.disconnect(),
  };
}

/** The commits of a group by partition. Partitions without a commit are left out. For a caller that waits. */
export async function readCommittedSoon(
  kafka: Kafka,
  { groupId, topic }: { readonly groupId: string; readonly topic: string },
): Promise<Map<number, CommittedOffset>> {
  const answers = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
  return new Map(
    answers.flatMap(({ partitions }) =>
      partitions.flatMap(({ partition, offset, metadata }) =>
        NO_OFFSETS.has(offset) ? [] : [[partition, { offset: BigInt(offset), metadata }] as const],
      ),
    ),
  );
}

/** How many consumers a group currently has; 0 also if the group does not exist. */
export async function countMembers(kafka: Kafka, groupId: string): Promise<number> {
  const admin = kafka.admin({ retry: { retries: 5 } });
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([groupId]);
    return groups.reduce((sum, { members }) => sum + members.length, 0);
  } finally {
    await admin.disconnect();
  }
}
