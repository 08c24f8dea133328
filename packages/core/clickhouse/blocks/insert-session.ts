import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings } from '@clickhouse/client';
import type { ClickHouse } from '../client/client.ts';

/**
 * A session lives in the memory of the ClickHouse server. After a restart the server rejects each INSERT that names an earlier
 * session, however late it arrives. So a result that was read within a session still holds when its INSERT runs.
 */

/** Id of a session. Undefined for replicated tables, which need none: Keeper commits the rows and their token together. */
export type Session = string | undefined;

/** A partition without messages opens a new session after this time, because the server does not keep sessions for ever. */
const IDLE_SECONDS = 600;

export async function openSession(db: ClickHouse): Promise<Session> {
  const id = randomUUID();
  const answer = await db.query({
    query: `select count() as replicated
            from system.tables
            where database = currentDatabase()
              and name = 'usage_hourly'
              and startsWith(engine, 'Replicated')`,
    session_id: id,
    clickhouse_settings: { session_timeout: String(IDLE_SECONDS) },
    format: 'JSONEachRow',
  });
  const [row] = await answer.json<{ replicated: string }>();
  return row?.replicated === '0' ? id : undefined;
}

/** Parameters of a request that only the server with this session may execute. */
export function withinSession(id: Session): { session_id?: string; clickhouse_settings: ClickHouseSettings } {
  if (id === undefined) return { clickhouse_settings: {} };
  const clickhouse_settings = { session_check: 1, session_timeout: String(IDLE_SECONDS) } as const;
  return { session_id: id, clickhouse_settings };
}

/** Whether a request was rejected and not executed: the server was restarted, or the session was idle for too long. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'SESSION_NOT_FOUND';
}
