import type { Rate } from './bus.ts';

/** One end of the channel that Node opens between a process and one that it has forked. */
export type Channel = {
  readonly connected: boolean;
  readonly send?: (message: object, callback: (error: Error | null) => void) => boolean;
  on(event: 'message' | 'disconnect', listener: (message: unknown) => void): unknown;
};

/** What a process asks of its supervisor; the answer has the same `id`. */
export type Question = { readonly id: number } & (
  | { readonly revoked: string }
  | {
      readonly requests: readonly (readonly [string, number])[];
      readonly windowMs: number;
      /** When it was asked, epoch milliseconds. */
      readonly at: number;
    }
);

export type Answer =
  | { readonly id: number; readonly receivers: number }
  | { readonly id: number; readonly rates: readonly (readonly [string, Rate])[] };

/** A message from the supervisor to all processes: a revocation, or that some were missed. */
export type News = { readonly revoked: string } | { readonly missed: true };

/** A process gives up after this time. */
export const DEADLINE_MS = 2000;

/** Other messages, which the bus ignores, go through the same channel. */
export function contentOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'bus' in message ? message.bus : undefined;
}

/** The messages that may wait for a process that does not read its channel. Each has a hundred bytes. */
const MAX_WAITING = 1000;

export type Sender = {
  /** Returns false without sending if too many messages wait, or if the other process has ended. */
  send(content: object): boolean;
};

/** Sends contents without letting them gather in memory. `onDrained`: none waits any more. */
export function createSender(channel: Channel, onDrained: () => void = () => undefined): Sender {
  let waiting = 0;
  return {
    send(content) {
      if (waiting >= MAX_WAITING || !channel.connected) return false;
      waiting += 1;
      channel.send?.({ bus: content }, () => {
        waiting -= 1;
        if (waiting === 0) onDrained();
      });
      return true;
    },
  };
}
