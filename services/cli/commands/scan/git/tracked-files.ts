import { isUtf8 } from 'node:buffer';

export type TrackedFile = {
  /** From the root of the repository, with slashes. A name that is not UTF-8 is as git quotes it. */
  readonly path: string;
  /** The same with one character for each byte. */
  readonly name: string;
  readonly type: 'file' | 'link' | 'submodule';
  /** Why git expects it not to be in the work tree: a sparse checkout leaves it out, or the index has not what the commit has. */
  readonly absence: 'sparse' | 'unstaged' | undefined;
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
    files.set(path, { path, name, type: TYPES[mode] ?? 'file', absence: tag === 'S' ? 'sparse' : undefined });
  }
  return [...files.values()];
}

/** Of `git diff-index --name-only -z`. */
export function parseUnstaged(list: Buffer): TrackedFile[] {
  const names = list.toString('latin1').split('\0').slice(0, -1);
  return names.map((name) => {
    const path = pathOf(Buffer.from(name, 'latin1'));
    return { path, name, type: 'file', absence: 'unstaged' };
  });
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
