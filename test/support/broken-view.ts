import { runStatement } from '#stores';
import { readGauge } from './gauges.ts';
import type { World } from './world.ts';

/** Replaces a view of the fan-out by one that refuses every block; gives the way back. */
export async function breakDailyView(world: World): Promise<() => Promise<void>> {
  const { clickhouse } = world;
  const [view] = await world.query<{ statement: string }>(
    `select create_table_query as statement
     from system.tables
     where database = currentDatabase()
       and name = 'usage_daily_view'`,
  );
  await runStatement(clickhouse, 'drop view usage_daily_view sync');
  await runStatement(
    clickhouse,
    `create materialized view usage_daily_view to usage_daily as
     select feature_name, environment, app_name, toDate(hour) as day, yes, no, reports
     from block_rows
     where throwIf(kind = 'count', 'broken for a test') = 0`,
  );
  return async () => {
    await runStatement(clickhouse, 'drop view usage_daily_view sync');
    await runStatement(clickhouse, view?.statement ?? '');
  };
}

/** How many attempts to store a block have failed in a worker. */
export function readInsertFailures(worker: { readonly url: string }): Promise<number> {
  return readGauge(worker, 'flagmeter_worker_insert_failures_total');
}
