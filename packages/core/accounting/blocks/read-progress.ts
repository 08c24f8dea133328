import { HISTORY_TOPIC, decodeIntent } from '#core/counting';
import { createHistoryImports } from '#unleash/history';
import { type Kafka, readCommittedSoon } from '#core/kafka';
import type { Postgres } from '#base/postgres';
import type { Progress } from './open-blocks.ts';

type Counting = { readonly groupId: string; readonly topic: string; readonly epoch: number };

/** How far the worker has stored each partition. It has stored nothing of a partition that is missing here. */
export async function readProgress(kafka: Kafka, { groupId, topic, epoch }: Counting): Promise<Progress[]> {
  const committed = await readCommittedSoon(kafka, { groupId, topic });
  return Array.from(committed, ([partition, { offset, metadata }]) => {
    const intent = decodeIntent(metadata);
    const intendedTo = intent === undefined || intent === 'unknown' ? undefined : intent.to;
    return { topic, epoch, partition, storedTo: offset, intendedTo };
  });
}

/** How far each import of Unleash's history is stored. */
export async function readProgressOfImports(db: Postgres): Promise<Progress[]> {
  return (await createHistoryImports(db).list()).map(({ number, storedTo, intent }) => ({
    ...{ topic: HISTORY_TOPIC, epoch: 1, partition: number },
    ...{ storedTo, intendedTo: intent?.to },
  }));
}
