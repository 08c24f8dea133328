import type { Admin, Kafka } from 'kafkajs';
import { fetchWatermarks, withAdmin } from '../topics/topics.ts';

/** Its commit is made last and says that those of all others are there. */
const LAST_COMMITTED = 0;

/**
 * Makes a consumer group that has never consumed a topic begin at its present end: without a commit it would begin with the
 * oldest message. A partition that is added later has no commit, and is consumed from its beginning. Rejects while the group has
 * a member; that member has committed then.
 */
export async function beginAtEnd(
  kafka: Kafka,
  { groupId, topic }: { readonly groupId: string; readonly topic: string },
): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    if (await hasBegun(admin, groupId, topic)) return;
    const ends = [...(await fetchWatermarks(admin, topic))].map(([partition, { high }]) => ({
      partition,
      offset: high.toString(),
    }));
    const last = ends.filter(({ partition }) => partition === LAST_COMMITTED);
    const first = ends.filter(({ partition }) => partition !== LAST_COMMITTED);
    if (first.length > 0) await admin.setOffsets({ groupId, topic, partitions: first });
    await admin.setOffsets({ groupId, topic, partitions: last });
  });
}

async function hasBegun(admin: Admin, groupId: string, topic: string): Promise<boolean> {
  const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return (
    answer?.partitions.some((item) => item.partition === LAST_COMMITTED && item.offset !== '-1') ?? false
  );
}
