import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlagmeterError } from '#base/runtime';
import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client/client.ts';
import { withoutStackTrace } from './client/without-stack-trace.ts';

/** A backup on a disk that the configuration of the ClickHouse server names, which may be a bucket of S3. */
export type BackupPlace = { readonly database: string; readonly disk: string; readonly name: string };

/** `local names`: the names of its files are on the server, and would be lost with it. */
export type DiskTrouble = 'missing' | 'local names' | 'not allowed';

const POLL_MS = 200;
const DEADLINE_MS = 12 * 3600_000;

/** Lets ClickHouse write a backup of a database. Each table is read at a slightly different time. */
export async function backUpDatabase(server: ClickHouse, place: BackupPlace): Promise<void> {
  await failIfNamesAreLocal(server, place.disk);
  return runToEnd(server, `backup database ${quoteIdentifier(place.database)} to ${placeOf(place)}`);
}

/** Lets ClickHouse create the database and its tables from a backup. No view copies rows meanwhile. */
export async function restoreDatabase(server: ClickHouse, place: BackupPlace): Promise<void> {
  await runToEnd(server, `restore database ${quoteIdentifier(place.database)} from ${placeOf(place)}`);
  await repeatQueries(server, place.database);
}

/**
 * Why the server would reject a backup on this disk; undefined if it would accept it. This changes nothing, because it looks for a
 * backup that does not exist.
 */
export async function whyNoBackup(server: ClickHouse, disk: string): Promise<DiskTrouble | undefined> {
  const place = placeOf({ disk, name: 'no-such-backup' });
  const sql = 'select 1 from system.disks where name = {disk:String}';
  if ((await readRows(server, sql, { disk })).length === 0) return 'missing';
  if (await hasLocalNames(server, disk)) return 'local names';
  try {
    await runStatement(server, `restore database no_such_database from ${place}`);
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'BACKUP_NOT_FOUND') return undefined;
    if (error instanceof Error && /not allowed for backups/.test(error.message)) return 'not allowed';
    throw error;
  }
  return undefined;
}

export async function countTables(server: ClickHouse, database: string): Promise<number> {
  const sql = 'select count() as tables from system.tables where database = {database:String}';
  const [row] = await readRows<{ tables: string }>(server, sql, { database });
  return Number(row?.tables ?? 0);
}

/**
 * Gives each refreshable view its own query again. After RESTORE a query with UNION fails until the server restarts: "UNION mode
 * UNION_DEFAULT must be normalized". The server normalises the query of a statement, but not that of a backup.
 */
async function repeatQueries(server: ClickHouse, database: string): Promise<void> {
  const views = await readRows<{ name: string; query: string }>(
    server,
    `select name, as_select as query
     from system.tables
     where database = {database:String}
       and name in (select view from system.view_refreshes where database = {database:String})`,
    { database },
  );
  for (const { name, query } of views) {
    const view = `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
    await runStatement(server, `alter table ${view} modify query ${query}`);
  }
}

/** A disk of the type s3 has only contents in the bucket. Their names are files of the server, and are lost with it. */
async function hasLocalNames(server: ClickHouse, disk: string): Promise<boolean> {
  const sql = "select 1 from system.disks where name = {disk:String} and metadata_type = 'Local'";
  return (await readRows(server, sql, { disk })).length > 0;
}

async function failIfNamesAreLocal(server: ClickHouse, disk: string): Promise<void> {
  if (!(await hasLocalNames(server, disk))) return;
  throw new FlagmeterError(
    'disk',
    `${disk} keeps the names of its files on the ClickHouse server: use the type s3_plain, or the backup is lost with that server`,
  );
}

/** As text, because a statement of this kind has no parameters. */
function placeOf({ disk, name }: Pick<BackupPlace, 'disk' | 'name'>): string {
  for (const part of [disk, name]) {
    if (/^[\w.-]+$/.test(part)) continue;
    throw new FlagmeterError('usage', `${part} may have letters, digits, "_", "-" and "." only`);
  }
  return `Disk('${disk}', '${name}')`;
}

/** In the background of the server, because a connection does not live for hours. */
async function runToEnd(server: ClickHouse, statement: string): Promise<void> {
  const id = randomUUID();
  await runStatement(server, `${statement} settings id = '${id}' async`);
  const deadline = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline) {
    const [row] = await readRows<{ status: string; error: string }>(
      server,
      'select status, error from system.backups where id = {id:String}',
      { id },
    );
    if (row === undefined) throw new FlagmeterError('backup', 'ClickHouse was restarted meanwhile');
    if (row.status === 'BACKUP_CREATED' || row.status === 'RESTORED') return;
    if (row.error !== '') throw new FlagmeterError('backup', `ClickHouse: ${withoutStackTrace(row.error)}`);
    await sleep(POLL_MS);
  }
  throw new FlagmeterError('backup', `ClickHouse has not finished within ${DEADLINE_MS / 3600_000} hours`);
}
