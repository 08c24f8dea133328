import type { Appended } from './brokers.ts';
import { type Client, ask } from './connection.ts';
import { connectionError } from './errors.ts';
import { NetworkError } from '../network.ts';
import { recordValues } from './record-values.ts';

/** A group of messages of ours, which encodes itself when it is written. */
type Group = { readonly partition: number; readonly encode: () => Buffer };
type Send = { readonly topic: string; readonly messages: readonly [Group] };

const SEND_TIMEOUT_MS = 3000;

export function createProducer(world: Client) {
  const { network, brokers, connection } = world;
  return {
    connect: () => ask(world, 'producer connects', () => undefined),
    disconnect: () => Promise.resolve(),
    async send({ topic, messages: [group] }: Send) {
      const { partition } = group;
      // kafkajs connects and reads the metadata before it writes the request.
      if (!brokers.isUp) throw connectionError(new NetworkError('refused'));
      const values = recordValues(group.encode());
      try {
        const { base, appendedAt } = await network.call<Appended>(brokers, {
          label: `append to ${topic}`,
          timeoutMs: SEND_TIMEOUT_MS,
          connection,
          serve: (reply) => {
            brokers.append({ topic, partition, values }, reply);
          },
        });
        return [
          {
            topicName: topic,
            partition,
            errorCode: 0,
            baseOffset: String(base),
            logAppendTime: String(appendedAt),
          },
        ];
      } catch (error) {
        throw connectionError(error);
      }
    },
  };
}
