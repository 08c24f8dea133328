import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import type { World } from '../../../world.ts';

const NAMES = { environment: 'production', feature_name: 'stray', app_name: 'stray' };

/**
 * Adds an evaluation of today that belongs to no block, so that the accounting really differs from now on. Returns
 * the day.
 */
export async function addStrayRow({ clickhouse }: World): Promise<string> {
  const day = new Date().toISOString().slice(0, 10);
  const values = [{ ...NAMES, day, yes: 1, reports: 1 }];
  await clickhouse.insert({ table: 'usage_daily', values, format: 'JSONEachRow' });
  return day;
}

/** The self-check of a story: one row too many in a shard, counted from 0, is a difference. */
export async function expectStrayRowToShow(world: World, shard: number): Promise<void> {
  await addStrayRow({ ...world, clickhouse: world.shards.of(shard) });
  expect(findDifferences(await world.accounting())).to.have.length(1);
}

export async function removeStrayRow({ clickhouse }: World): Promise<void> {
  const query = `alter table usage_daily delete where feature_name = '${NAMES.feature_name}'`;
  await clickhouse.command({ query, clickhouse_settings: { mutations_sync: '1' } });
}
