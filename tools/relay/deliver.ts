import type { Clock } from './clock.ts';
import type { Transport, TransportRequest } from './http-transport.ts';
import type { OpenDelivery } from './ledger.ts';

/** The pauses before the second to the sixth try; up to a fifth is added at random (docs/develop/unleash.md#answers-and-retries). */
const PAUSES_MS = [50, 100, 200, 400, 800];
const JITTER = 0.2;

export type DeliveryOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
};

/**
 * Posts the same bytes until an answer arrives, at most six times. Returns the status, undefined without any answer. Records
 * each try in the ledger.
 */
export async function deliver(
  request: TransportRequest,
  entry: OpenDelivery,
  { transport, clock, random }: DeliveryOptions,
): Promise<number | undefined> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const startedAt = clock.now();
    const status = await transport.post(request).catch(() => undefined);
    entry.addAttempt({ startedAt, endedAt: clock.now(), status });
    if (status !== undefined) return status;
    if (pauseMs !== undefined) await clock.sleep(pauseMs * (1 + JITTER * random()));
  }
  return undefined;
}
