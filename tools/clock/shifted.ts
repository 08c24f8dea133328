import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Environment variables that shift the clock of a process and its children. */
export type ShiftedClock = { readonly env: Readonly<Record<string, string>>; dispose(): Promise<void> };

/**
 * Builds the library that shifts the clock of a process, so that it starts at `at` and then runs on. Needs Linux and
 * a C compiler.
 */
export async function shiftClock(at: Date): Promise<ShiftedClock> {
  const seconds = Math.round((at.getTime() - Date.now()) / 1000);
  // The user who runs Postgres may be unable to read the repository.
  const directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-clock-'));
  await chmod(directory, 0o755);
  const library = path.join(directory, 'shifted-clock.so');
  const source = path.join(import.meta.dirname, 'shifted-clock.c');
  await promisify(execFile)('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread']);
  return {
    env: { LD_PRELOAD: library, CLOCK_SHIFT_SECONDS: String(seconds) },
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
