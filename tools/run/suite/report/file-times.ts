import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readCpuMs } from '../../procfs.ts';

/** The time since the start of a process, and the CPU of the process and of all that it started, ended or not. */
export type Used = { readonly seconds: number; readonly cpuSeconds: number };

/** What one test file took, from the end of the file before it in the same process. The engines of the stack are not in it. */
export type FileTime = Used & {
  readonly file: string;
  /** In seconds of the epoch. */
  readonly endedAt: number;
  /** Its databases in the shared ClickHouse. Later files may have them too. */
  readonly databases: readonly string[];
};

export function usedSoFar(): Used {
  return { seconds: performance.now() / 1000, cpuSeconds: cpuSecondsOf(process.pid) };
}

/** Zero without a process, and where the kernel does not say it, as on macOS. */
export function cpuSecondsOf(pid: number | undefined): number {
  return pid !== undefined && existsSync('/proc/self/stat') ? readCpuMs(pid) / 1000 : 0;
}

/** Environment variable for the directory of the times. Each test file leaves its own there. */
export const TIMES_VARIABLE = 'FLAGMETER_TEST_TIMES';
const DEAREST = 20;

export function writeTime(directory: string, time: FileTime): void {
  writeFileSync(path.join(directory, `${time.file.replaceAll(/\W+/g, '-')}.json`), JSON.stringify(time));
}

/** The seconds of a run by folder, and its dearest files. Durations overlap, because files run in parallel. */
export function renderTimes(directory: string): string {
  const times = readTimes(directory);
  const byFolder = [...new Set(times.map(({ file }) => folderOf(file)))].map((folder) => {
    const files = times.filter(({ file }) => folderOf(file) === folder);
    return {
      file: `${folder} (${files.length} files)`,
      seconds: sumOf(files, 'seconds'),
      cpuSeconds: sumOf(files, 'cpuSeconds'),
    };
  });
  return [
    '    CPU  duration',
    ...sorted(byFolder).map(lineOf),
    '',
    ...sorted(times).slice(0, DEAREST).map(lineOf),
  ].join('\n');
}

export function readTimes(directory: string): FileTime[] {
  return readdirSync(directory).map(
    (name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as FileTime, // Written by `writeTime`.
  );
}

type Line = Omit<FileTime, 'databases' | 'endedAt'>;

function sumOf(times: readonly Line[], part: 'seconds' | 'cpuSeconds'): number {
  return times.reduce((sum, time) => sum + time[part], 0);
}

function sorted(times: readonly Line[]): Line[] {
  return times.toSorted((one, other) => other.cpuSeconds - one.cpuSeconds);
}

function lineOf({ file, seconds, cpuSeconds }: Line): string {
  return `${inSeconds(cpuSeconds, 5)}  ${inSeconds(seconds, 6)}  ${file}`;
}

function inSeconds(value: number, width: number): string {
  return `${String(Math.round(value)).padStart(width)} s`;
}

/** Of integration tests the folder of the adapter, otherwise the kind. */
function folderOf(file: string): string {
  const [root = '', kind = '', part = ''] = file.split('/');
  return kind === 'integration' ? `${root}/${kind}/${part}` : `${root}/${kind}`;
}
