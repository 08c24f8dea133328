import type { Courier } from '../webhooks/index.ts';
import { inBackground } from '#base/runtime';
import type { Due } from './store/attempts.ts';

type SenderOptions = {
  readonly deliver: Courier;
  /** Takes the messages that are due, one of each subscription except the busy ones. */
  readonly takeDue: (busy: readonly number[]) => Promise<readonly Due[]>;
  readonly recordAttempt: (due: Due, problem: string | undefined) => Promise<void>;
  /** Called for an outcome that could not be recorded; the message is sent again, with the same id. */
  readonly onLost: (error: unknown) => void;
};

/** Sends each subscription its messages one after the other, and all subscriptions at the same time. So a slow receiver delays only itself. */
export function createSender({ deliver, takeDue, recordAttempt, onLost }: SenderOptions) {
  const sending = new Map<number, Promise<void>>();

  const send = async (due: Due, signal: AbortSignal): Promise<void> => {
    try {
      const problem = await deliver(due.message, due.receiver, signal);
      // A stopping process knows nothing of the outcome. The message is due again soon.
      if (problem === undefined || !signal.aborted) await recordAttempt(due, problem);
    } catch (error) {
      onLost(error);
    } finally {
      sending.delete(due.subscriptionId);
    }
  };

  return {
    /** Starts to send what is due. */
    async round(signal: AbortSignal): Promise<void> {
      for (const due of await takeDue([...sending.keys()])) {
        const sent = send(due, signal);
        sending.set(due.subscriptionId, sent);
        inBackground(sent);
      }
    },

    /** Waits for what is being sent. */
    async finish(): Promise<void> {
      await Promise.all(sending.values());
    },
  };
}
