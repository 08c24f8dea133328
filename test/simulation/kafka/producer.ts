import type { Appended } from './brokers.ts';
import { type Client, ask } from './connection.ts';
import { connectionError } from './errors.ts';
import { NetworkError, type Reply } from '../network.ts';
import { recordValues } from './record-values.ts';

/** A group of messages of ours, which encodes itself when it is written. */
type Group = {
  readonly partition: number;
  readonly encode: () => Buffer;
  note: { readonly nodeId: number; readonly quietUntil: number } | undefined;
};
type Answer = Appended & { readonly throttleMs: number };
type Send = { readonly topic: string; readonly messages: readonly [Group] };

const SEND_TIMEOUT_MS = 3000;

export function createProducer(world: Client) {
  const { network, brokers, connection, schedule } = world;
  /** As kafkajs keeps it: epoch milliseconds. */
  let throttledUntil = 0;
  /**
   * A broker above a quota appends, answers at once, and reads nothing from this connection for a while (KIP-219). Later requests of
   * it arrive after that.
   */
  const throttling = (reply: Reply<Answer>): Reply<Appended> => ({
    reject: reply.reject,
    resolve(appended) {
      const throttleMs = brokers.throttleMs();
      connection.arrivesAt = Math.max(connection.arrivesAt, schedule.now + throttleMs);
      reply.resolve({ ...appended, throttleMs });
    },
  });
  return {
    connect: () => ask(world, 'producer connects', () => undefined),
    disconnect: () => Promise.resolve(),
    async send({ topic, messages: [group] }: Send) {
      const { partition } = group;
      // kafkajs connects and reads the metadata before it writes the request.
      if (!brokers.isUp) throw connectionError(new NetworkError('refused'));
      const values = recordValues(group.encode());
      try {
        const { base, appendedAt, throttleMs } = await network.call<Answer>(brokers, {
          label: `append to ${topic}`,
          timeoutMs: SEND_TIMEOUT_MS,
          connection,
          serve: (reply) => {
            brokers.append({ topic, partition, values }, throttling(reply));
          },
        });
        if (throttleMs > 0) throttledUntil = Math.max(throttledUntil, Date.now() + throttleMs);
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
      } finally {
        if (throttledUntil > 0) group.note = { nodeId: 0, quietUntil: throttledUntil };
      }
    },
  };
}
