import { execFile } from 'node:child_process';
import { open, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** A file system so small that a test can fill it. */
export type SmallDisk = {
  /** Fills the disk: less space remains than ClickHouse reserves for any part. Returns the function that frees it. */
  fill(): Promise<() => Promise<void>>;
  unmount(): Promise<void>;
};

/**
 * Less than the MiB that ClickHouse reserves before it writes a part, but more than nothing. A merge that had
 * reserved its space and then met a completely full disk committed a part with an empty file (26.7, once in dozens of
 * rounds). docs/guarantees.md describes this.
 */
const LEFT_BYTES = 512 * 1024;

/** Mounts a file system of that size in memory. Returns undefined unless we are root of the host. */
export async function mountSmallDisk(directory: string, sizeMiB: number): Promise<SmallDisk | undefined> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=711`, 'tmpfs', directory]);
  } catch {
    return undefined;
  }
  const ballast = path.join(directory, 'ballast');
  return {
    async fill() {
      const file = await open(ballast, 'w');
      const chunk = Buffer.alloc(64 * 1024);
      try {
        while ((await freeBytes(directory)) > LEFT_BYTES) await file.write(chunk);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
      return () => rm(ballast);
    },
    async unmount() {
      await run('umount', [directory]);
    },
  };
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

const run = promisify(execFile);
