import { runStatement } from '#core/clickhouse';
import type { Attempted } from '../../../../services/worker/metrics.ts';
import { readGauge } from '../../stack/processes/gauges.ts';
import type { World } from '../../world.ts';

/**
 * Makes a view of the fan-out reject every block with such rows. Returns the function that repairs it. The view is
 * altered in place, because blocks stored without the view would miss its rows.
 */
export async function breakDailyView(world: World, ofRows = "kind = 'count'"): Promise<() => Promise<void>> {
  const [view] = await world.query<{ query: string }>(
    `select as_select as query
     from system.tables
     where database = currentDatabase()
       and name = 'usage_daily_view'`,
  );
  const alter = (query: string): Promise<void> =>
    runStatement(world.clickhouse, `alter table usage_daily_view modify query ${query}`);
  const query = view?.query ?? '';
  // The rest of the condition must stay, because it selects the missing parts of a block with unknown outcome.
  await alter(`${query} and throwIf(${ofRows}, 'broken for a test') = 0`);
  return () => alter(query);
}

/** How many attempts at an operation have failed in a worker. */
export function readFailedAttempts(worker: { readonly url: string }, attempted: Attempted): Promise<number> {
  return readGauge(worker, `flagmeter_worker_failed_attempts_total{attempted="${attempted}"}`);
}
