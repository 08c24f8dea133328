import { createReadStream } from 'node:fs';
import { FlagmeterError, readBounded } from '#base/runtime';
import { pathOf } from '../scan/git/tracked-files.ts';
import { decode } from '../scan/search/decode.ts';

/** A list of a hundred thousand paths has less. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** The paths of a file, or of standard input if it is `-`, as `git diff --name-only` writes them. */
export async function readChangedFiles(file: string): Promise<string[]> {
  const input: AsyncIterable<Uint8Array> = file === '-' ? process.stdin : createReadStream(file);
  const tooLong = () => new FlagmeterError('usage', '--in has more than 16 MiB');
  const paths = parsePaths(withoutMark(await readBounded(input, MAX_LIST_BYTES, tooLong)));
  // Otherwise a failure of git diff before a pipe would open the gate.
  if (paths.length === 0) throw new FlagmeterError('usage', '--in has no path: did git diff fail?');
  return [...new Set(paths)];
}

/** PowerShell writes lists in UTF-16, which has a NUL in each letter of English. */
export function withoutMark(list: Buffer): Buffer {
  return /^(?:\u00EF\u00BB\u00BF|\u00FF\u00FE|\u00FE\u00FF)/.test(list.toString('latin1', 0, 3))
    ? Buffer.from(decode(list).text)
    : list;
}

/** One path a line, or with `-z` one before each NUL. Names may have any bytes, so each character here is one. */
export function parsePaths(list: Buffer): string[] {
  const isRaw = list.includes(0);
  const names = list
    .toString('latin1')
    .split(isRaw ? '\0' : /\r?\n/)
    .filter((name) => name !== '');
  return names.map((name) => toPath(isRaw ? name : unquoted(name)));
}

function toPath(name: string): string {
  return pathOf(Buffer.from(name.replace(/^(?:\.\/)+/, ''), 'latin1'));
}

const CONTROLS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** Git writes a path with unusual characters as a string of C: `"docs/\303\274n\303\257.md"`. Each octal number is a byte. */
function unquoted(line: string): string {
  // Git quotes a tab in a name, so this one ends a column. No such path would be found, and the gate would stand open.
  if (line.includes('\t'))
    throw new FlagmeterError(
      'usage',
      '--in has lines with a tab: list only names, with git diff --name-only',
    );
  if (!/^".+"$/.test(line)) return line;
  return line
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/g, (_escape, code: string) =>
      code.length === 3 ? String.fromCodePoint(Number.parseInt(code, 8)) : (CONTROLS[code] ?? code),
    );
}
