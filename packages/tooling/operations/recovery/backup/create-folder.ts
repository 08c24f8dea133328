import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { FlagmeterError } from '#base/runtime';

/** Creates the folder, which only its owner can read, and folders above it. Throws `usage` if the folder exists. */
export async function createFolder(folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!isThere) throw error;
    throw new FlagmeterError('usage', `${folder} exists: name a folder that does not exist`, {
      cause: error,
    });
  }
}
