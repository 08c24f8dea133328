import { createBlocks } from '#core/clickhouse';
import type { Metric } from '#core/counting';
import { aBlock } from '../stack/engines/clickhouse/stored-blocks.ts';
import type { World } from '../world.ts';

const HOUR_MS = 3_600_000;

/** The start of the hour that began so many hours before the current one. */
export function hoursAgo(hours: number): number {
  return (Math.floor(Date.now() / HOUR_MS) - hours) * HOUR_MS;
}

export type StoredHour = { readonly metrics?: readonly Metric[]; readonly impactMetrics?: unknown };

/** Stores evaluations and samples in the hours that began at these times, each hour as a block of one INSERT. */
export async function storeHours(
  { clickhouse }: Pick<World, 'clickhouse'>,
  hours: readonly (readonly [at: number, stored: StoredHour])[],
): Promise<void> {
  const blocks = hours.map(([at, { metrics = [], impactMetrics }], index) => {
    const receivedAt = at + 1000;
    const timestamp = new Date(receivedAt).toISOString();
    const parts = { impactMetrics, receivedAt, from: BigInt(index), batchId: `batch ${index}` };
    return aBlock({ metrics: metrics.map((one) => ({ ...one, timestamp })), ...parts });
  });
  await createBlocks(clickhouse).insertAll(blocks);
}
