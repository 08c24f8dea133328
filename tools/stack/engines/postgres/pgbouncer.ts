import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareUnpacked } from '../../install/prepare/prepare-unpacked.ts';
import {
  type Engine,
  createDirectoryFor,
  filesOf,
  findPostgresUser,
  giveTo,
  launchEngine,
  stopRecorded,
} from '#tooling/stack';

export type PgBouncerOptions = {
  readonly directory: string;
  readonly port: number;
  /** The server behind it, with the login that all clients get. */
  readonly postgresUrl: string;
  readonly poolMode: 'session' | 'transaction' | 'statement';
  /** The parameters of clients that it leaves out. It refuses clients with others. */
  readonly ignoredParameters: readonly string[];
};

/** A PgBouncer in front of a Postgres, for any database there. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<Engine> {
  const { directory, port, postgresUrl } = options;
  const name = 'pgbouncer';
  const program = await prepareUnpacked('pgbouncer', () => undefined);
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  const user = await findPostgresUser(); // it refuses to run as root, too
  const config = path.join(await createDirectoryFor(user, files.data), 'pgbouncer.ini');
  await writeFile(config, configOf(options), { mode: 0o600 });
  await giveTo(user, config);
  const address = new URL(postgresUrl);
  address.port = String(port);
  return launchEngine({
    name,
    title: 'PgBouncer',
    address: address.toString(),
    directory,
    command: program,
    args: [config],
    options: { cwd: '/', ...user },
    mark: config,
    isReady: (_pid, log) => Promise.resolve(log.includes('process up')),
    stopSignal: 'SIGTERM',
  });
}

function configOf({ port, postgresUrl, poolMode, ignoredParameters }: PgBouncerOptions): string {
  const { hostname, port: serverPort, username, password } = new URL(postgresUrl);
  return `
[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
ignore_startup_parameters = ${ignoredParameters.join(', ')}
`;
}
