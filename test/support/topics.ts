import { createKafka, readWatermarks } from '#stream';
import type { World } from './world.ts';

/** How many messages the topics of a world were ever given: it grows with whatever ingest stores. */
export async function countMessages({ config, log }: World): Promise<number> {
  const kafka = createKafka({ access: config.kafka, clientId: 'test', retries: 5, log });
  const { counts, applications } = config.kafka.topics;
  const ends = await Promise.all([readWatermarks(kafka, counts), readWatermarks(kafka, applications)]);
  return ends.flatMap((end) => [...end.values()]).reduce((sum, { high }) => sum + Number(high), 0);
}
