import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../processes/programs.ts';
import { DOWNLOAD_TIMEOUT_MS } from './install-once.ts';

/** Installs what the `package-lock.json` of a folder names. Nothing needs install scripts, so none run. */
export async function installLocked(manifest: string, place: string): Promise<void> {
  await mkdir(place, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(path.join(manifest, file), path.join(place, file));
  await runProgram('npm', {
    args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    cwd: place,
  });
}
