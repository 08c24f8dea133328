import { type ArrivedReport, storeRelayReports } from '#fleet/catalogue';
import { readRelayReport } from '#fleet/relays';
import { aRelayReport } from '../builders/relay-reports.ts';
import type { World } from '../world.ts';

/** A report of a relay as the worker reads it from Kafka; `receivedAt` in epoch milliseconds. */
export function anArrivedReport(identifier: string, receivedAt: number, members: object = {}): ArrivedReport {
  const read = readRelayReport(aRelayReport({ identifier, ...members }));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return { tokenId: 'token', environment: 'production', receivedAt, relays: read.relays };
}

/** Stores reports as the worker does. */
export async function storeReports(world: World, ...reports: ArrivedReport[]): Promise<void> {
  await storeRelayReports({ db: world.db, clickhouse: world.shards.of(0) }, reports);
}
