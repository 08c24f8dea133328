import type { MessageProducer } from '#core/kafka';

/** When a message was sent and its answer came, by our clock, and when the broker appended it, by its clock: epoch milliseconds. */
export type SendTimes = { readonly sentAt: number; readonly appendedAt: number; readonly answeredAt: number };

/** How far our clock is ahead of the broker's at least; negative if it is behind, 0 if both may be right. */
export function clockAheadMs({ sentAt, appendedAt, answeredAt }: SendTimes): number {
  return Math.max(0, sentAt - appendedAt) + Math.min(0, answeredAt - appendedAt);
}

export type OnDifference = (
  place: { readonly topic: string; readonly partition: number },
  aheadMs: number,
) => void;

/** Passes on sends, and compares our clock with the leader's at each stored one. */
export function withClockDifference(
  producer: Pick<MessageProducer, 'send'>,
  onDifference: OnDifference,
): Pick<MessageProducer, 'send'> {
  return {
    async send(topic, partition, messages) {
      const sentAt = Date.now();
      const result = await producer.send(topic, partition, messages);
      const { appendedAt } = result.outcome === 'stored' ? result : {};
      if (appendedAt !== undefined)
        onDifference({ topic, partition }, clockAheadMs({ sentAt, appendedAt, answeredAt: Date.now() }));
      return result;
    },
  };
}
