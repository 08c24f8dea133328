import { isUtf8 } from 'node:buffer';

export type TrackedFile = {
  /** From the root of the repository, with slashes. A name that is not UTF-8 is as git quotes it. */
  readonly path: string;
  /** The same with one character for each byte. */
  readonly name: string;
  readonly type: 'file' | 'link' | 'submodule';
  /** Left out by a sparse checkout. */
  readonly isSparse: boolean;
};

const TYPES: Readonly<Record<string, TrackedFile['type']>> = { '120000': 'link', '160000': 'submodule' };

/** Of `git ls-files --stage -t -z`: `H 100644 <object> 0<tab><path>`. A file with a conflict is there three times. */
export function parseTrackedFiles(list: Buffer): TrackedFile[] {
  const files = new Map<string, TrackedFile>();
  for (let from = 0, end: number; from < list.length; from = end + 1) {
    end = list.indexOf(0, from);
    if (end === -1) end = list.length;
    const tab = list.indexOf('\t', from);
    const path = pathOf(list.subarray(tab + 1, end));
    const [tag, mode = ''] = list.toString('latin1', from, tab).split(' ');
    const name = list.toString('latin1', tab + 1, end);
    files.set(path, { path, name, type: TYPES[mode] ?? 'file', isSparse: tag === 'S' });
  }
  return [...files.values()];
}

/** A path as text. */
export function pathOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : `"${quoted(bytes)}"`;
}

/** Whether a path stays in the work tree. Git adds no other one, but believes an index that has one. */
export function isInside(name: string): boolean {
  return name.split('/').every((part) => !/^(?:\.{0,2}|\.git)$/i.test(part));
}

function quoted(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll(/[^ -~]/g, (byte) => `\\${(byte.codePointAt(0) ?? 0).toString(8).padStart(3, '0')}`);
}
