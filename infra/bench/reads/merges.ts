import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, readRows } from '#clickhouse';

const DEADLINE_MS = 120_000;
const LOOK_MS = 500;

/** Until ClickHouse has nothing more to merge, or time is up: else what follows would be measured against its own work. */
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
