import { type ClickHouse, runStatement } from './client/client.ts';

/** What ClickHouse computes again and again. */
const SNAPSHOTS = ['feature_verdict_snapshot', 'experiment_snapshot', 'flag_debt_snapshot'];

/** Computes the verdicts on features and experiments and the debt of flags now. Rejects if that fails. */
export async function refreshVerdicts(db: ClickHouse): Promise<void> {
  for (const view of SNAPSHOTS) await runStatement(db, `system refresh view ${view}`);
  for (const view of SNAPSHOTS) await runStatement(db, `system wait view ${view}`);
}
