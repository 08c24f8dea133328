import { type BlockRange, type DeadLetter, type KeptMessage, encodeDeadLetter } from '#counting';
import type { MessageProducer } from '#kafka';
import type { Log } from '#runtime';

export type DeadLetters = {
  /** Keeps messages that cannot be decoded, keyed by where they stood. Rejects unless all are stored; may be repeated. */
  keep(source: Source, letters: readonly DeadLetter[]): Promise<void>;
};

type Source = Pick<BlockRange, 'topic' | 'epoch' | 'partition'>;

const MAX_SEND_MESSAGES = 200;
/** The topic takes no batch that is much longer than one message may be. */
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
        const result = await producer.send(deadLetterTopic, 0, group);
        if (result.outcome !== 'stored') throw new Error(`dead letters not stored: ${result.reason}`);
      }
      for (const { offset, problem } of letters)
        log.warn({ topic, partition, offset: offset.toString(), reason: problem }, 'dead letter kept');
    },
  };
}

/** Whatever its size, a message is in one of them. */
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
