import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { FlagmeterError, type PostgresAccess } from '#base/runtime';
import { clientConfig } from './pool/pool.ts';
import { requireOwnSession } from './pool/pooling.ts';

const DEADLINE_MS = 6 * 3600_000;
/** A program that fails says why in its first lines. */
const MAX_ERROR_CHARACTERS = 2000;

/** Writes a database to a new file with pg_dump, which must not be older than the server. */
export async function dumpDatabase(access: PostgresAccess, file: string): Promise<void> {
  // pg_dump would create a file that everybody can read, but keeps the mode of one that exists.
  await writeFile(file, '', { mode: 0o600, flag: 'wx' });
  // Large objects (-B): flagmeter has none, anybody who may connect can make one, and pg_dump fails if it may not read it.
  await runTool(access, 'pg_dump', [
    '--format=custom',
    '--no-owner',
    '--no-privileges',
    '-B',
    `--file=${file}`,
  ]);
}

/** Reads such a file into an empty database, all of it or nothing. */
export function restoreDump(access: PostgresAccess, file: string): Promise<void> {
  // A role that does not own an extension cannot write its comment. Other comments are documentation only.
  const options = ['--single-transaction', '--no-owner', '--no-privileges', '--no-comments', '--dbname='];
  return runTool(access, 'pg_restore', [...options, file]);
}

/** Everything that must not be seen in the list of processes goes through the environment. */
async function runTool(access: PostgresAccess, program: string, args: readonly string[]): Promise<void> {
  await requireOwnSession(access, program);
  const folder = await mkdtemp(join(tmpdir(), 'flagmeter-'));
  try {
    await runToEnd(program, args, { ...process.env, ...(await environmentOf(access, folder)) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function environmentOf(access: PostgresAccess, folder: string): Promise<NodeJS.ProcessEnv> {
  const { host, port, user, password, database } = new pg.Client(clientConfig(access));
  const login = {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password ?? undefined,
    PGDATABASE: database,
    PGCONNECT_TIMEOUT: '10',
  };
  const { tls } = access;
  if (tls === undefined) return { ...login, PGSSLMODE: 'disable' };
  const write = async (name: string, pem: string | undefined): Promise<string | undefined> => {
    if (pem === undefined) return undefined;
    const path = join(folder, name);
    await writeFile(path, pem, { mode: 0o600 });
    return path;
  };
  return {
    ...login,
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: (await write('ca.pem', tls.ca)) ?? 'system',
    PGSSLCERT: await write('cert.pem', tls.cert),
    PGSSLKEY: await write('key.pem', tls.key),
  };
}

function runToEnd(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: DEADLINE_MS });
    let problem = '';
    child.stderr.on('data', (piece: Buffer) => {
      problem = `${problem}${piece.toString()}`.slice(0, MAX_ERROR_CHARACTERS);
    });
    child.on('error', (cause) => {
      const message = `${program} cannot be started: install the client programs of Postgres`;
      reject(new FlagmeterError('backup', message, { cause }));
    });
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new FlagmeterError('backup', `${program} failed: ${problem.trim()}`));
    });
  });
}
