import { existsSync } from 'node:fs';
import { copyFile, chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { runProgram } from '../../processes/programs.ts';
import { filesOf } from '../../layout.ts';
import type { StackPasswords } from '../../processes/passwords.ts';
import { assertPortFree } from '../../processes/ports.ts';
import { stopRecorded } from '../../processes/processes.ts';
import { StackError } from '../../stack-error.ts';
import { type Engine, launchEngine } from '../engine.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { type PostgresUser, createDirectoryFor, findPostgresUser, giveTo } from './postgres-user.ts';

export type PostgresOptions = {
  readonly directory: string;
  readonly port: number;
  readonly name?: string;
  /** Letters and digits. Stored with the data. */
  readonly passwords: Pick<StackPasswords, 'postgres' | 'superuser'>;
  /** The role `flagmeter` may connect over TLS only. */
  readonly tls?: PostgresTls;
};

/** Paths of PEM files. */
type PostgresTls = { readonly certificate: string; readonly key: string };

type Cluster = Omit<PostgresOptions, 'tls'> & {
  readonly tls: PostgresTls | undefined;
  readonly name: string;
  readonly binaries: string;
  readonly data: string;
  readonly user: PostgresUser;
};

/**
 * Postgres with a role and a database `flagmeter`. As in production, the role may create databases and is no
 * superuser. A second role has the same password. Its data survives SIGKILL. It has its own data directory and never changes a cluster of the system.
 */
export async function startPostgres({
  directory,
  port,
  name = 'postgres',
  passwords,
  tls,
}: PostgresOptions): Promise<Engine> {
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  await assertPortFree(port, 'Postgres');
  const binaries = await findPostgresBinaries();
  if (binaries === undefined)
    throw new StackError('not-installed', 'Postgres is missing: apt-get install postgresql');
  const user = await findPostgresUser();
  const data = await createDirectoryFor(user, files.data);
  const cluster = { directory, port, name, passwords, tls, binaries, data, user };
  if (!existsSync(path.join(data, 'PG_VERSION'))) await initialize(cluster);
  if (tls !== undefined) await useTls(cluster, tls);
  const engine = await launchWhenFreed(cluster);
  try {
    await createDatabase(port, passwords);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return engine;
}

async function initialize({ binaries, data, user, passwords }: Cluster): Promise<void> {
  // Beside the data directory, which is closed to others and must be empty.
  const passwordFile = `${data}.password`;
  await writeFile(passwordFile, passwords.superuser, { mode: 0o600 });
  await giveTo(user, passwordFile);
  try {
    const login = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    await runProgram(path.join(binaries, 'initdb'), {
      args: ['-D', data, ...login, '--encoding=UTF8', '--locale=C', '--no-sync'],
      timeoutMs: 60_000,
      cwd: '/',
      ...user,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Postgres finds these files by their names. It requires that no one else can read the key. */
async function useTls({ data, user }: Cluster, { certificate, key }: PostgresTls): Promise<void> {
  const inside = (name: string): string => path.join(data, name);
  await copyFile(certificate, inside('server.crt'));
  await copyFile(key, inside('server.key'));
  await writeFile(
    inside('pg_hba.conf'),
    'host all postgres 127.0.0.1/32 scram-sha-256\nhostssl all flagmeter 127.0.0.1/32 scram-sha-256\n',
  );
  for (const name of ['server.crt', 'server.key', 'pg_hba.conf']) {
    await chmod(inside(name), 0o600);
    await giveTo(user, inside(name));
  }
}

/**
 * After SIGKILL the children of the old server hold its shared memory a moment longer, and a new server refuses to
 * start.
 */
async function launchWhenFreed(cluster: Cluster): Promise<Engine> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await launch(cluster);
    } catch (error) {
      const isHeld = error instanceof Error && error.message.includes('shared memory block');
      if (!isHeld || Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}

function launch({ directory, port, name, passwords, tls, binaries, data, user }: Cluster): Promise<Engine> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    timezone: 'UTC',
    ssl: tls === undefined ? 'off' : 'on',
  };
  return launchEngine({
    name,
    title: 'Postgres',
    address: `postgres://flagmeter:${passwords.postgres}@127.0.0.1:${port}/flagmeter`,
    directory,
    command: path.join(binaries, 'postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    options: { cwd: '/', ...user },
    mark: data,
    isReady: () => servesData({ port, password: passwords.superuser }, data),
    // SIGINT: Postgres rolls back open transactions, closes connections and writes a checkpoint.
    stopSignal: 'SIGINT',
  });
}

/** Whether the server on this port keeps its data in our directory. No other Postgres does. */
async function servesData(server: Server, data: string): Promise<boolean> {
  try {
    return await asSuperuser(server, async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      return rows[0]?.data_directory === data;
    });
  } catch {
    return false;
  }
}

/** The second one owns nothing: services may use it (DATABASE_OWNER_URL). */
const ROLES = [
  ['flagmeter', 'createdb'],
  ['flagmeter_service', 'nocreatedb'],
] as const;

async function createDatabase(port: number, passwords: PostgresOptions['passwords']): Promise<void> {
  await asSuperuser({ port, password: passwords.superuser }, async (client) => {
    for (const [role, rights] of ROLES) {
      const known = await client.query('select from pg_roles where rolname = $1', [role]);
      if (known.rowCount === 0) await client.query(`create role ${role} login ${rights}`);
      await client.query(`alter role ${role} password '${passwords.postgres}'`);
    }
    const database = await client.query("select from pg_database where datname = 'flagmeter'");
    if (database.rowCount === 0) await client.query('create database flagmeter owner flagmeter');
  });
}

/** Connection settings of the superuser. */
type Server = { readonly port: number; readonly password: string };

async function asSuperuser<T>(server: Server, action: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...server,
    host: '127.0.0.1',
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
    query_timeout: 30_000,
  });
  client.on('error', () => undefined); // If a connection breaks, the query that uses it fails as well.
  try {
    await client.connect();
    return await action(client);
  } finally {
    await client.end();
  }
}
