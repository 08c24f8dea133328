import type { World } from './world.ts';

/** Counts an evaluation of today that no block knows of: from now on the books really differ. Gives the day. */
export async function addStrayRow(world: World): Promise<string> {
  const day = new Date().toISOString().slice(0, 10);
  const row = {
    day,
    environment: 'production',
    feature_name: 'stray',
    app_name: 'stray',
    yes: 1,
    reports: 1,
  };
  await world.clickhouse.insert({ table: 'usage_daily', values: [row], format: 'JSONEachRow' });
  return day;
}
