import type { Config, Fail, Log, Service } from '#base/runtime';
import { openFleet } from './fleet/index.ts';
import { runWorker } from './worker.ts';

/**
 * The worker stores counts in ClickHouse, applications in Postgres and reports of relays in both, with one consumer group for each.
 */
export function startWorker(config: Config, log: Log, fail: Fail): Promise<Service> {
  return runWorker(config, { log, fail }, openFleet);
}
