import { createHash } from 'node:crypto';
import { chown, mkdir, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../../processes/programs.ts';
import { StackError } from '../../stack-error.ts';

/** The user who runs Postgres, because Postgres refuses to run as root. Empty unless we are root. */
export type PostgresUser = { readonly uid?: number; readonly gid?: number };

/** Holds files that a user other than root must read, if the stack is in root's home, which only root may enter. */
const outsideOfHome = '/var/lib/flagmeter-stack';

export async function findPostgresUser(): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return {};
  const user = (await findUser('postgres')) ?? (await findUser('nobody'));
  if (user !== undefined) return user;
  throw new StackError(
    'not-installed',
    'Postgres refuses to run as root, and there is neither a user postgres nor a user nobody',
  );
}

async function findUser(name: string): Promise<PostgresUser | undefined> {
  try {
    const uid = Number(await runProgram('id', { args: ['-u', name], timeoutMs: 5_000 }));
    const gid = Number(await runProgram('id', { args: ['-g', name], timeoutMs: 5_000 }));
    return { uid, gid };
  } catch {
    return undefined; // id fails if the user does not exist.
  }
}

/** Creates `directory`, owned by that user and closed to others. Returns the path by which the user can enter it. */
export async function createDirectoryFor(user: PostgresUser, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const place = await realpath(directory);
  await giveTo(user, place);
  if (await canEnter(user, place)) return place;
  const name = createHash('sha256').update(place).digest('hex').slice(0, 16);
  const outside = path.join(outsideOfHome, name);
  await mkdir(outside, { recursive: true });
  await giveTo(user, outside);
  if (!(await canEnter(user, outside))) {
    throw new StackError(
      'not-ready',
      `the user who runs Postgres may enter neither ${place} nor ${outside}; choose another --directory`,
    );
  }
  await rm(place, { recursive: true });
  await symlink(outside, place);
  return outside;
}

/** Deletes a directory that `createDirectoryFor` has created, wherever it is. */
export async function removeDirectory(directory: string): Promise<void> {
  const place = await realpath(directory).catch(() => directory);
  if (path.dirname(place) === outsideOfHome) await rm(place, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

export async function giveTo({ uid, gid }: PostgresUser, place: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(place, uid, gid);
}

async function canEnter(user: PostgresUser, directory: string): Promise<boolean> {
  try {
    await runProgram('/bin/sh', {
      args: ['-c', 'cd "$1"', 'sh', directory],
      timeoutMs: 5_000,
      cwd: '/',
      ...user,
    });
    return true;
  } catch {
    return false;
  }
}
