import type { Postgres } from '#base/postgres';
import type { Log } from '#base/runtime';

const PAUSE_MS = 60_000;

type Row = { logged: string; newest: string; is_late: boolean };

/**
 * Returns a function that says in the log, at most once a minute, if entries do not become lines: because somebody keeps the position of
 * the log, or has set it to a number that no entry has. Call it after the lines were written.
 */
export function createLogCheck(db: Postgres, log: Log): () => Promise<void> {
  let nextAt = -Infinity;
  return async () => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + PAUSE_MS;
    const { rows } = await db.query<Row>(STATE);
    for (const { logged, newest, is_late: isLate } of rows)
      if (isLate || Number(logged) > Number(newest))
        log.error({ logged: Number(logged), newest: Number(newest) }, 'audit entries are missing in the log');
  };
}

/** Others write lines within seconds. */
const STATE = `
  select
    p.sequence as logged,
    coalesce((select max(sequence) from public.audit_entries), 0) as newest,
    exists (
      select
      from public.audit_entries as e
      where e.sequence > p.sequence
        and e.at < now() - interval '1 minute'
    ) as is_late
  from public.audit_log_position as p`;
