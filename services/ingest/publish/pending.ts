export type PublishOutcome = 'stored' | 'not-stored' | 'unknown';

/** A message that waits for its outcome. */
export type Pending = {
  readonly value: string | Uint8Array;
  readonly bytes: number;
  readonly since: number;
  /** While the breaker is open, it waits until then (epoch milliseconds). */
  readonly waitsUntil: number;
  isInDoubt: boolean;
  readonly settle: (outcome: PublishOutcome) => void;
};

/** Takes the first messages out of the queue, as many as one send may have; at least one. */
export function takeGroup(queue: Pending[], maxBytes: number): Pending[] {
  let bytes = 0;
  let end = 0;
  for (const pending of queue) {
    bytes += pending.bytes;
    if (end > 0 && bytes > maxBytes) break;
    end += 1;
  }
  return queue.splice(0, end);
}

/** Settles the messages that are due; returns the others. */
export function settle(messages: readonly Pending[], isDue: (pending: Pending) => boolean): Pending[] {
  return messages.filter((pending) => {
    const isSettled = isDue(pending);
    if (isSettled) pending.settle(pending.isInDoubt ? 'unknown' : 'not-stored');
    return !isSettled;
  });
}

/** Says of one message after the other whether there is no room for it behind the earlier ones. Messages in doubt always have room. */
export function beyond(room: { readonly messages: number; readonly bytes: number }) {
  let [messages, bytes] = [0, 0];
  return (pending: Pending): boolean => {
    if (pending.isInDoubt) return false;
    messages += 1;
    bytes += pending.bytes;
    return messages > room.messages || bytes > room.bytes;
  };
}
