import { createReadStream } from 'node:fs';
import { FlagmeterError, readBounded } from '#runtime';

/** A list of a hundred thousand paths has less. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** The paths of a file, or of standard input if it is `-`: one a line, as `git diff --name-only` writes them. */
export async function readChangedFiles(file: string): Promise<string[]> {
  const input: AsyncIterable<Uint8Array> = file === '-' ? process.stdin : createReadStream(file);
  const tooLong = () => new FlagmeterError('usage', '--in has more than 16 MiB');
  const paths = parsePaths((await readBounded(input, MAX_LIST_BYTES, tooLong)).toString('utf8'));
  // Otherwise a failure of git diff before a pipe would open the gate.
  if (paths.length === 0) throw new FlagmeterError('usage', '--in has no path: did git diff fail?');
  return paths;
}

/** Git writes a path with unusual characters as a string of C: `"docs/\303\274n\303\257.md"`. */
export function parsePaths(list: string): string[] {
  const lines = list.split(/\r?\n/).filter((line) => line !== '');
  return lines.map((line) => (/^".+"$/.test(line) ? unquoted(line) : line));
}

const CONTROLS: Readonly<Record<string, string>> = {
  ...{ a: '\u0007', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' },
};

/** Each octal number is a byte of UTF-8. */
function unquoted(line: string): string {
  const bytes = Buffer.from(line.slice(1, -1))
    .toString('latin1')
    .replaceAll(/\\([0-7]{3}|.)/g, (_escape, code: string) =>
      code.length === 3 ? String.fromCodePoint(Number.parseInt(code, 8)) : (CONTROLS[code] ?? code),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
