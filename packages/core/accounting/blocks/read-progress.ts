import { decodeIntent } from '#core/counting';
import { type Kafka, readCommittedSoon } from '#core/kafka';
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

/** How far blocks are stored that do not come from Kafka, such as those of an import. */
export type OtherProgress = {
  /** The name under which their markers stand. Only while a day of it looks wrong, `read` is called. */
  readonly topic: string;
  /** The engine that `read` asks. */
  readonly engine: 'Postgres';
  read(): Promise<Progress[]>;
  close(): Promise<void>;
};
