import { createKafka, openCommittedOffsets, readWatermarks } from '#core/kafka';
import { eventually } from '../../../eventually.ts';
import type { World } from '../../../world.ts';

/**
 * The total number of messages ever written to the topics of a world. It grows with everything that ingest stores.
 */
export async function countMessages({ config, log }: World): Promise<number> {
  const kafka = createKafka({ access: config.kafka, clientId: 'test', retries: 5, log });
  const { counts, applications } = config.kafka.topics;
  const ends = await Promise.all([readWatermarks(kafka, counts), readWatermarks(kafka, applications)]);
  return ends.flatMap((end) => [...end.values()]).reduce((sum, { high }) => sum + Number(high), 0);
}

/** Resolves when the worker has handled every registration that ingest has stored so far. */
export function untilApplicationsHandled(world: World): Promise<void> {
  return untilCommitted(world, 'applications');
}

/** Waits until all tables have the counts of every message. `settled` also compares the accounting, which costs more. */
export function untilCounted(world: World): Promise<void> {
  return untilCommitted(world, 'counts');
}

/** The worker commits the end of a block when ClickHouse has stored it. */
async function untilCommitted({ config, log }: World, name: 'applications' | 'counts'): Promise<void> {
  const { groupPrefix, topics } = config.kafka;
  const topic = topics[name];
  const kafka = createKafka({ access: config.kafka, clientId: 'test', retries: 5, log });
  const groupId = `${groupPrefix}-${name}`;
  const committed = await openCommittedOffsets(kafka, { groupId, log, signal: AbortSignal.timeout(60_000) });
  const ends = [...(await readWatermarks(kafka, topic))];
  try {
    await eventually(
      () => Promise.all(ends.map(([partition]) => committed.read(topic, partition))),
      (offsets) => ends.every(([, { high }], index) => (offsets[index]?.offset ?? 0n) >= high),
    );
  } finally {
    await committed.close();
  }
}
