import pg from 'pg';

/** Statements that a stranger might send to the port of ClickHouse. */
export const CURIOUS_QUERIES = [
  `select * from file('/etc/passwd', 'LineAsString')`,
  `select * from url('http://127.0.0.1:1/', 'CSV', 'a String')`,
  'select query from system.processes',
  'create database stranger',
  'create temporary table t (a String) engine = Memory',
  'kill query where 1',
  'select 1 settings max_memory_usage = 0',
] as const;

/** Logins of the stranger: none, or a user with a wrong password. */
export const STRANGERS: readonly Login[] = [
  {},
  { user: 'owner', password: '' },
  { user: 'analyst', password: 'guess' },
];

export type Login = { readonly user?: string; readonly password?: string };

export async function isAnswered(url: string, query: string, login: Login = {}): Promise<boolean> {
  const { user, password } = login;
  const headers = new Headers({ connection: 'close' });
  if (user !== undefined) headers.set('x-clickhouse-user', user);
  if (password !== undefined) headers.set('x-clickhouse-key', password);
  const answer = await fetch(url, { method: 'POST', body: query, headers });
  await answer.arrayBuffer();
  return answer.ok;
}

/** Whether Postgres accepts this login. */
export async function isLetIn(port: number, user: string, password: string): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, database: 'postgres', user, password });
  client.on('error', () => undefined); // the lines below report the rejection
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
