import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** How long one test file took, from the end of the file before it in the same process. */
export type FileTime = { readonly file: string; readonly seconds: number };

/** Environment variable for the directory of the times. Each test file leaves its own there. */
export const TIMES_VARIABLE = 'FLAGMETER_TEST_TIMES';
const SLOWEST = 20;

export function writeTime(directory: string, time: FileTime): void {
  writeFileSync(path.join(directory, `${time.file.replaceAll(/\W+/g, '-')}.json`), JSON.stringify(time));
}

/** The seconds of a run by folder, and its slowest files. They overlap, because files run in parallel. */
export function renderTimes(directory: string): string {
  const times = readdirSync(directory).map(
    (name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as FileTime, // Written by `writeTime`.
  );
  const byFolder = [...new Set(times.map(({ file }) => folderOf(file)))].map((folder) => {
    const files = times.filter(({ file }) => folderOf(file) === folder);
    return {
      name: `${folder} (${files.length} files)`,
      seconds: files.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  });
  const slowest = times.map(({ file, seconds }) => ({ name: file, seconds }));
  return [...sorted(byFolder), { name: '' }, ...sorted(slowest).slice(0, SLOWEST)].map(lineOf).join('\n');
}

type Line = { readonly name: string; readonly seconds?: number };

function sorted<T extends { readonly seconds: number }>(lines: readonly T[]): T[] {
  return lines.toSorted((one, other) => other.seconds - one.seconds);
}

function lineOf({ name, seconds }: Line): string {
  return seconds === undefined ? name : `${String(Math.round(seconds)).padStart(5)} s  ${name}`;
}

/** Of integration tests the folder of the adapter, otherwise the kind. */
function folderOf(file: string): string {
  const [root = '', kind = '', part = ''] = file.split('/');
  return kind === 'integration' ? `${root}/${kind}/${part}` : `${root}/${kind}`;
}
