import pg from 'pg';

// Classes 08 (connection), 40 (deadlock), 53 (resources), 57 (operator, statement timeout), 58 (disk), and 25P03 (idle too
// long), 25006 (the server became a standby), 55P03 (a lock that is held for too long).
const UNAVAILABLE_STATE = /^(08|40|53|57|58)|^(25P03|25006|55P03)$/;
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/;
const NETWORK_CODE = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|EHOST|ENET)/;

/** Whether Postgres could not be reached or did not answer in time: temporary trouble, not an error of ours. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    NETWORK_CODE.test(code) ||
    (error instanceof pg.DatabaseError && UNAVAILABLE_STATE.test(code)) ||
    UNAVAILABLE_MESSAGE.test(error.message)
  );
}

/** Whether a unique constraint rejected a row. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/** Whether a query failed because the migrations were not run. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '42P01';
}
