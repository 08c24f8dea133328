import type { TrackedFile } from '../git/tracked-files.ts';
import { decode } from './decode.ts';
import type { FindPlaces } from './find-places.ts';
import { createReader } from './open-tracked.ts';
import type { CodePlace } from './place.ts';
import type { Unsearched } from './unsearched.ts';

/** Larger files are data or generated. The limit bounds the memory. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const LFS = /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1\n/;

export type SearchedFiles = {
  readonly searched: number;
  readonly bytes: number;
  /** Files that were not searched, or not for everything, in the order of the list. */
  readonly unsearched: readonly Unsearched[];
};

export type Sinks = {
  readonly findPlaces: FindPlaces;
  readonly onPlace: (place: CodePlace) => void;
  readonly onFile: (count: number) => void;
};

/**
 * Searches files one after the other. Reading is synchronous, because the search keeps the process busy anyway, and asynchronous
 * reads of many small files take longer than the search. In a binary file it looks for calls only: a NUL in a comment makes source
 * code binary, but must not hide its calls, and the rest of a picture means nothing.
 */
export function searchFiles(root: string, files: readonly TrackedFile[], sinks: Sinks): SearchedFiles {
  const result = { searched: 0, bytes: 0, unsearched: new Array<Unsearched>() };
  const buffer = Buffer.allocUnsafe(MAX_FILE_BYTES + 1);
  const read = createReader(root);
  for (const [index, file] of files.entries()) {
    const content = read(file, buffer);
    sinks.onFile(index + 1);
    const outcome = typeof content === 'string' ? content : searchFile(file.path, content, sinks);
    if (typeof outcome === 'string') result.unsearched.push({ path: file.path, reason: outcome });
    else {
      result.searched += 1;
      result.bytes += outcome;
    }
  }
  return result;
}

/** Returns how many bytes were searched, or why not all. */
function searchFile(path: string, content: Buffer, sinks: Sinks): Unsearched['reason'] | number {
  if (content.length > MAX_FILE_BYTES) return 'large';
  const { text, isBinary } = decode(content);
  for (const place of sinks.findPlaces(path, text))
    if (!isBinary || place.kind === 'call') sinks.onPlace(place);
  if (isBinary) return 'binary';
  return LFS.test(text) ? 'lfs' : content.length;
}
