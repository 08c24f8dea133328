import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../processes/programs.ts';
import { DOWNLOAD_TIMEOUT_MS, source } from './install-once.ts';

/** Installs what the `package-lock.json` of a folder names, a folder of `manifests`. Nothing needs install scripts, so none run. */
export async function installLocked(folder: string, place: string): Promise<void> {
  await mkdir(place, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(source(`manifests/${folder}/${file}`), path.join(place, file));
  await npmCi(place);
}

export async function npmCi(directory: string): Promise<void> {
  await runProgram('npm', {
    args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    cwd: directory,
  });
}
