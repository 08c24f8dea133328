import { randomUUID } from 'node:crypto';
import type { Config } from '#base/runtime';
import { courierOf } from './courier-of.ts';
import { testData } from './store/deliveries.ts';
import type { NamedReceiver } from './store/receiver.ts';

/** Sends one message that says only that messages arrive, at once. Returns why it was not accepted. */
export function sendTest(
  config: Config['notifications'],
  receiver: NamedReceiver,
  sender: string,
): Promise<string | undefined> {
  const message = { id: randomUUID(), type: 'test', at: new Date(), data: testData(sender) };
  return courierOf(config)(message, receiver);
}
