import { type Courier, createCourier, createFindAddresses, createSealer } from '../webhooks/index.ts';
import { type Config, readVersion } from '#base/runtime';

/** The courier of the settings. */
export function courierOf({ keys, consoleUrl, ca, mayLoopBack }: Config['notifications']): Courier {
  return createCourier({
    consoleUrl,
    ca,
    mayLoopBack,
    sealer: keys && createSealer(keys),
    find: createFindAddresses(),
    userAgent: `flagmeter/${readVersion()}`,
  });
}
