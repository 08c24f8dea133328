import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockRange, type DeadLetter, type KeptMessage, encodeDeadLetter } from '#core/counting';
import type { MessageProducer } from '#core/kafka';
import type { Log } from '#base/runtime';

export type DeadLetters = {
  /** Stores messages that cannot be decoded, keyed by their position. Rejects unless all are stored; may be repeated. */
  keep(source: Source, letters: readonly DeadLetter[]): Promise<void>;
};

type Source = Pick<BlockRange, 'topic' | 'epoch' | 'partition'>;

const MAX_SEND_MESSAGES = 200;
/** The limit of the topic allows a record batch only a little longer than one message. */
const MAX_SEND_BYTES = 256 * 1024;

type Options = {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly deadLetterTopic: string;
  readonly log: Log;
};

export function createDeadLetters({ producer, deadLetterTopic, log }: Options): DeadLetters {
  return {
    async keep({ topic, epoch, partition }, letters) {
      const messages = letters.map((letter) => encodeDeadLetter({ ...letter, topic, epoch, partition }));
      for (const group of groupsOf(messages)) {
        let result = await producer.send(deadLetterTopic, 0, group);
        // A new attempt would begin with the first group again.
        while (result.outcome === 'throttled') {
          await sleep(result.waitMs);
          result = await producer.send(deadLetterTopic, 0, group);
        }
        if (result.outcome !== 'stored') throw new Error(`dead letters not stored: ${result.reason}`);
      }
      for (const { offset, problem } of letters)
        log.warn({ topic, partition, offset: offset.toString(), reason: problem }, 'dead letter kept');
    },
  };
}

/** Every message is in exactly one group; a message above the limit is in its own group. */
function groupsOf(messages: readonly KeptMessage[]): KeptMessage[][] {
  const groups: KeptMessage[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const length = message.value?.length ?? 0;
    const last = groups.at(-1);
    if (last === undefined || last.length === MAX_SEND_MESSAGES || bytes + length > MAX_SEND_BYTES) {
      groups.push([message]);
      bytes = length;
    } else {
      last.push(message);
      bytes += length;
    }
  }
  return groups;
}
