import type { DeadLetter } from '#domain';
import type { MessageProducer } from '#stream';

export type DeadLetters = {
  /** Keeps messages that cannot be decoded, keyed by where they stood. Rejects unless all are stored; may be repeated. */
  keep(topic: string, partition: number, letters: readonly DeadLetter[]): Promise<void>;
};

const PER_SEND = 200;

export function createDeadLetters(producer: MessageProducer, deadLetterTopic: string): DeadLetters {
  return {
    async keep(topic, partition, letters) {
      for (let start = 0; start < letters.length; start += PER_SEND) {
        const messages = letters.slice(start, start + PER_SEND).map(({ offset, value, problem }) => ({
          key: `${topic}:${partition}:${offset}`,
          value,
          headers: { problem },
        }));
        const result = await producer.send(deadLetterTopic, 0, messages);
        if (result.outcome !== 'stored') throw new Error(`dead letters not stored: ${result.reason}`);
      }
    },
  };
}
