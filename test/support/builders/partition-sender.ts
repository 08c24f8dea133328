import { setImmediate as nextTick } from 'node:timers/promises';
import type { SendOutcome } from '#core/kafka';
import { PartitionSender } from '../../../services/ingest/publish/partition-sender.ts';

export const STORED: SendOutcome = { outcome: 'stored' };
export const REJECTED: SendOutcome = { outcome: 'not-stored', reason: 'NOT_ENOUGH_REPLICAS' };
export const LOST: SendOutcome = { outcome: 'unknown', reason: 'KafkaJSRequestTimeoutError' };
export const TOO_LARGE: SendOutcome = { outcome: 'too-large', reason: 'MESSAGE_TOO_LARGE' };
export const PROBE = 'probe';

const started: PartitionSender[] = [];

/** Stops all senders. One that still fails at the end of a test would keep probing. */
export function stopSenders(): void {
  for (const sender of started.splice(0)) sender.stop();
}

/**
 * A partition sender whose sends have these outcomes in turn, and the last one always after that. Or a function
 * returns the outcome for the values.
 */
export function aSender(
  outcomes: readonly SendOutcome[] | ((values: readonly unknown[]) => SendOutcome),
  { expiryMs = 400, rideOutMs = 100 } = {},
) {
  const sends: unknown[][] = [];
  const reports: string[][] = [];
  const breaker: string[][] = [];
  let isRepaired = false;
  let held = Promise.resolve();
  const sender = new PartitionSender({
    producer: {
      async send(_topic, _partition, messages) {
        const values = messages.map(({ value }) => value);
        sends.push(values);
        const outcome =
          typeof outcomes === 'function'
            ? outcomes(values)
            : (outcomes[Math.min(sends.length, outcomes.length) - 1] ?? STORED);
        await held;
        return isRepaired ? STORED : outcome;
      },
    },
    topic: 'counts',
    partition: 0,
    rideOutMs,
    expiryMs,
    probe: () => PROBE,
    onSend: (outcome, reason) => reports.push([outcome, reason]),
    onBreaker: (change, { reason }) => breaker.push([change, reason]),
  });
  started.push(sender);
  /** Delays the end of every send until the returned function is called. */
  const hold = (): (() => void) => {
    let goOn = (): void => undefined;
    held = new Promise((resolve) => (goOn = resolve));
    return goOn;
  };
  return { sender, sends, reports, breaker, repair: () => (isRepaired = true), hold };
}

export async function untilSent(sends: readonly unknown[]): Promise<void> {
  while (sends.length === 0) await nextTick();
}

/** Two messages, the second while the first is being sent. */
export async function submitApart(sender: PartitionSender, sends: readonly unknown[]): Promise<string[]> {
  const first = sender.submit('a');
  await untilSent(sends);
  return Promise.all([first, sender.submit('b')]);
}
