import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { FindPlaces } from './find-places.ts';
import type { Place } from './place.ts';

/** Larger files are data or generated. The limit bounds the memory. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Git calls a file binary if its beginning has a NUL. */
const BEGINNING = 8000;

export type SearchedFiles = {
  readonly searched: number;
  readonly bytes: number;
  /** Files that were not searched. */
  readonly large: number;
  readonly binary: number;
};

export type Sinks = {
  readonly findPlaces: FindPlaces;
  readonly onPlace: (place: Place) => void;
  readonly onFile: (count: number) => void;
};

/**
 * Searches files one after the other. One that is gone, or is no longer a regular file, is left out. Reading is synchronous,
 * because the search keeps the process busy anyway, and asynchronous reads of many small files take longer than the search.
 */
export function searchFiles(root: string, files: readonly string[], sinks: Sinks): SearchedFiles {
  const counts = { searched: 0, bytes: 0, large: 0, binary: 0 };
  const buffer = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
  for (const [index, file] of files.entries()) {
    const content = readInto(buffer, path.join(root, file));
    sinks.onFile(index + 1);
    if (content === undefined) continue;
    if (content.length > MAX_FILE_BYTES) counts.large += 1;
    else if (content.subarray(0, BEGINNING).includes(0)) counts.binary += 1;
    else {
      for (const place of sinks.findPlaces(file, content.toString('utf8'))) sinks.onPlace(place);
      counts.searched += 1;
      counts.bytes += content.length;
    }
  }
  return counts;
}

/** Follows no link, which may lead out of the repository, and waits for no pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** What has become of the file: gone, its folder is now a file, a link. */
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

function readInto(buffer: Buffer, file: string): Buffer | undefined {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return undefined;
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

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, FLAGS);
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE.has(error.code)) return undefined;
    throw error;
  }
}
