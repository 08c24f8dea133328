import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { filesOf, filesOfStack } from '../layout.ts';

const OF_OWNER = 0o700;
/**
 * No one else can list such a folder. Root's can be passed through, because Postgres then runs as another user and must
 * reach its own folder.
 */
export const PASSABLE = process.getuid?.() === 0 ? 0o711 : OF_OWNER;

/** Closes the folders of a stack to other users, those of an earlier run too. `name` is an engine that is about to start. */
export async function closeToOthers(directory: string, name: string): Promise<void> {
  const { data, logs, run } = filesOfStack(directory);
  await closeFolder(directory, PASSABLE);
  await closeFolder(data, PASSABLE);
  for (const folder of [logs, run, filesOf(directory, name).data]) await closeFolder(folder, OF_OWNER);
}

/** Creates a folder if it is missing, and removes all permissions beyond `most`. */
export async function closeFolder(folder: string, most: number): Promise<void> {
  await mkdir(folder, { recursive: true, mode: most });
  const { mode } = await stat(folder);
  await chmod(folder, mode & most);
}

/** Writes a file that only its owner can read. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: PASSABLE });
  await writeFile(file, text, { mode: 0o600 });
  await chmod(file, 0o600); // The mode above applies only to a new file.
}
