import { openClickHouse, runStatement } from '#core/clickhouse';
import type { Config } from '#base/runtime';

/** Each view that ClickHouse computes again and again, and what it waits for. */
const VIEWS = [
  ['feature_verdict_snapshot', ''],
  ['experiment_snapshot', ''],
  ['feature_days_refresh', ''],
  ['flag_debt_snapshot', 'depends on feature_days_refresh'],
] as const;

/**
 * From now on the verdicts of a world are computed only when a test asks for them (`refreshVerdicts`). Once a minute, as in
 * production, they took a fifth of the CPU of ClickHouse in `make test`, because each world is idle most of the time. The
 * servers of a cluster stay as they are, because they must not differ.
 */
export async function computeVerdictsOnRequest({ clickhouse }: Config): Promise<void> {
  if (hasSeveralServers(clickhouse)) return;
  const db = openClickHouse(clickhouse);
  for (const [view, order] of VIEWS)
    await runStatement(db, `alter table ${view} modify refresh after 1 year ${order}`);
  await db.close();
}

export function hasSeveralServers({ url }: Config['clickhouse']): boolean {
  return /[,;]/.test(url);
}
