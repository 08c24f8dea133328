import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readlink, rm, statfs, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PASSABLE } from '../../stack/index.ts';

/** The file system in memory that Linux offers to every user. */
const MEMORY = '/dev/shm';
/** Of the type of statfs(2). */
const TMPFS = 0x01021994;
/** Far more than the suite needs at once, which is about 500 MiB. A full disk would fail tests. */
const FREE_BYTES = 4 * 1024 ** 3;

/**
 * Empties a folder and keeps its content in memory, if this machine has room: otherwise engines spend half of their
 * CPU on the files of new databases. Returns the function that deletes the content.
 */
export async function keepInMemory(folder: string): Promise<() => Promise<void>> {
  const remove = async (): Promise<void> => {
    // A run that was killed left its content.
    const content = path.resolve(await readlink(folder).catch(() => folder));
    await unmountBelow(content);
    await rm(content, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  await remove();
  await mkdir(path.dirname(folder), { recursive: true });
  if (await hasRoom()) await symlink(await createContent(), folder);
  else await mkdir(folder, { mode: PASSABLE });
  return remove;
}

/** Tests mount small disks to fill them. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => ''); // Other systems have no such disks.
  const places = mounts.split('\n').flatMap((line) => line.split(' ')[1] ?? []);
  for (const place of places)
    if (place.startsWith(`${folder}/`)) await promisify(execFile)('umount', [place]);
}

async function createContent(): Promise<string> {
  const content = await mkdtemp(path.join(MEMORY, 'flagmeter-'));
  await chmod(content, PASSABLE);
  return content;
}

async function hasRoom(): Promise<boolean> {
  try {
    const { type, bavail, bsize } = await statfs(MEMORY);
    return type === TMPFS && bavail * bsize >= FREE_BYTES;
  } catch {
    return false;
  }
}
