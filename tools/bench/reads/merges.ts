import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, readRows } from '#core/clickhouse';

const DEADLINE_MS = 120_000;
const LOOK_MS = 500;

/**
 * Waits until ClickHouse has no more merges, or until the deadline. Otherwise merges would slow down the following
 * measurement.
 */
export async function untilMerged(db: ClickHouse): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline) {
    const [row] = await readRows<{ merges: string }>(
      db,
      'select count() as merges from system.merges where database = currentDatabase()',
    );
    if (row?.merges === '0') return;
    await sleep(LOOK_MS);
  }
}
