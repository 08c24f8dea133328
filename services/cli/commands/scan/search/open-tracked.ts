import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { type TrackedFile, isInside } from '../git/tracked-files.ts';
import type { Unsearched } from './unsearched.ts';

/** Follows no link, which may lead out of the repository, and waits for no pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What has become of the file: gone, its folder is now a file, a link, a socket. */
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

type Reader = (file: TrackedFile, buffer: Buffer) => Buffer | Unsearched['reason'];

/**
 * Returns a function that reads as much of a tracked file as the buffer holds, or says why not. An index may name any path, and a
 * folder may have become a link, so nothing is read behind a link or outside of the work tree.
 */
export function createReader(root: string): Reader {
  const folders = new Map<string, boolean>();
  const isFolder = (name: string): boolean => {
    const known = folders.get(name);
    if (known !== undefined) return known;
    const above = name.lastIndexOf('/');
    const is = (above === -1 || isFolder(name.slice(0, above))) && isFolderOrHidden(pathOf(root, name));
    folders.set(name, is);
    return is;
  };
  return ({ name, type, absence }, buffer) => {
    if (type !== 'file') return type;
    if (!isInside(name)) return 'outside';
    if (absence === 'unstaged') return absence;
    const missing = absence ?? 'missing';
    const slash = name.lastIndexOf('/');
    if (slash !== -1 && !isFolder(name.slice(0, slash))) return missing;
    try {
      return readInto(buffer, pathOf(root, name)) ?? missing;
    } catch (error) {
      return GONE.has(codeOf(error)) ? missing : 'unreadable';
    }
  };
}

/** Names may have any bytes. */
function pathOf(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
}

/** What cannot be examined cannot be opened either, and that says why. */
function isFolderOrHidden(folder: Buffer): boolean {
  try {
    return lstatSync(folder).isDirectory();
  } catch {
    return true;
  }
}

/** Undefined if it is no regular file any more. */
function readInto(buffer: Buffer, file: Buffer): Buffer | undefined {
  const descriptor = openSync(file, FLAGS);
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
