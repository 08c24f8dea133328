import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

type Work = {
  readonly file: string;
  readonly overwrite: boolean;
  /** Opens the content; not called for a file that is kept. */
  readonly read: () => Promise<Readable>;
};

/**
 * Writes a file under another name beside it, syncs it, and then gives it its name. So the name never belongs to half
 * a file. Only their owner can read the file, and the folders that are new. Returns false if the file exists and
 * `overwrite` is false.
 */
export async function writeWhole({ file, overwrite, read }: Work): Promise<boolean> {
  if (!overwrite && (await exists(file))) return false;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${randomUUID()}.part`;
  try {
    await pipeline(await read(), createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }));
    if (!overwrite) return await linkUnlessExisting(part, file);
    await rename(part, file);
    return true;
  } finally {
    await rm(part, { force: true });
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

/** Unlike rename, link fails if another process was first. */
async function linkUnlessExisting(part: string, file: string): Promise<boolean> {
  try {
    await link(part, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
