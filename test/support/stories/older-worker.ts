import { createBlocks } from '#core/clickhouse';
import { type DeadLetter, DuplicateWindow, buildBlock } from '#core/counting';
import { createKafka, createMessageProducer } from '#core/kafka';
import { createDeadLetters } from '../../../services/worker/dead-letter-topic.ts';
import { bytesOf } from '../builders/builders.ts';
import { appendCounts, commitPosition } from '../stack/engines/kafka/kafka-log.ts';
import type { World } from '../world.ts';

export type OlderMessage = { readonly value: Uint8Array; readonly isDead?: boolean };

/**
 * Simulates an older worker that could not decode some of these messages of a partition, which must be empty. Creates
 * the log, the dead letters, a block that counts them, and the committed offset.
 */
export async function countAsOlderWorker(
  world: World,
  messages: readonly OlderMessage[],
  partition = 0,
): Promise<void> {
  await appendCounts(
    world,
    messages.map(({ value }) => value),
    partition,
  );
  const to = BigInt(messages.length);
  const range = { topic: world.config.kafka.topics.counts, epoch: 1, partition, from: 0n, to };
  const appendedAt = Date.now();
  const understood = messages.map(({ value, isDead = false }, index) => ({
    offset: BigInt(index),
    value: isDead ? bytesOf('{"v":0}') : value,
    appendedAt,
  }));
  const { block } = buildBlock(range, understood, { duplicates: new DuplicateWindow(45_000) });
  await keepDeadLetters(
    world,
    { topic: range.topic, partition },
    block.deadLetters.map((letter) => ({
      ...letter,
      value: messages[Number(letter.offset)]?.value ?? null,
    })),
  );
  await createBlocks(world.shards.of(partition)).insert(block);
  await commitPosition(world, { offset: to, metadata: '' }, partition);
}

/** Puts letters of a partition, by default 0, into the dead-letter topic, as a worker does. */
export async function keepDeadLetters(
  { config, log }: World,
  { topic, partition = 0 }: { readonly topic: string; readonly partition?: number },
  letters: readonly DeadLetter[],
): Promise<void> {
  const { topics } = config.kafka;
  const producer = createMessageProducer(
    createKafka({ access: config.kafka, clientId: 'older', retries: 0, log }),
  );
  const epoch = topic === topics.counts ? 1 : 0;
  await createDeadLetters({ producer, deadLetterTopic: topics.deadLetters, log }).keep(
    { topic, epoch, partition },
    letters,
  );
  await producer.disconnect();
}
