import { type BlockRange, type DeadLetter, encodeDeadLetter } from '#domain';
import type { MessageProducer } from '#stream';

export type DeadLetters = {
  /** Keeps messages that cannot be decoded, keyed by where they stood. Rejects unless all are stored; may be repeated. */
  keep(source: Source, letters: readonly DeadLetter[]): Promise<void>;
};

type Source = Pick<BlockRange, 'topic' | 'epoch' | 'partition'>;

const PER_SEND = 200;

export function createDeadLetters(producer: MessageProducer, deadLetterTopic: string): DeadLetters {
  return {
    async keep({ topic, epoch, partition }, letters) {
      for (let start = 0; start < letters.length; start += PER_SEND) {
        const messages = letters
          .slice(start, start + PER_SEND)
          .map((letter) => encodeDeadLetter({ ...letter, topic, epoch, partition }));
        const result = await producer.send(deadLetterTopic, 0, messages);
        if (result.outcome !== 'stored') throw new Error(`dead letters not stored: ${result.reason}`);
      }
    },
  };
}
