import { type ClickHouse, runStatement } from './client/client.ts';

/** What ClickHouse computes again and again, each after what it reads. */
const STAGES = [
  ['feature_verdict_snapshot', 'experiment_snapshot', 'feature_days_refresh'],
  ['flag_debt_snapshot'],
];

/** Computes the verdicts on features and experiments and the debt of flags now. Rejects if that fails. */
export async function refreshVerdicts(db: ClickHouse): Promise<void> {
  for (const views of STAGES) {
    for (const view of views) await runStatement(db, `system refresh view ${view}`);
    for (const view of views) await runStatement(db, `system wait view ${view}`);
  }
}
