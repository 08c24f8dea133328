import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type Report,
  DOWNLOAD_TIMEOUT_MS,
  PLATFORM,
  StackError,
  enginesDirectory,
  findProgram,
  installOnceLocked,
  runProgram,
} from '#tooling/stack';
import { manifest } from '../../manifests.ts';

/** The value of PYTHONPATH for what `preparePython` installs. */
export const pythonPackages = path.join(enginesDirectory, 'python');
/** Before it in PYTHONPATH: an older SDK of Unleash and an older hook of OpenFeature. */
export const olderPythonPackages = path.join(enginesDirectory, 'python-older');

const FOLDERS = [
  { packages: pythonPackages, requirements: manifest('python/requirements.txt') },
  { packages: olderPythonPackages, requirements: manifest('python/older.txt') },
] as const;

/** Installs OpenFeature, OpenTelemetry and Unleash's SDK for Python 3.10 or newer: 41 MB. pip checks the hashes. */
export async function preparePython(report: Report = console.log): Promise<void> {
  if ((await findProgram('python3')) === undefined)
    throw new StackError('not-installed', 'python3 is missing: apt-get install python3-pip');
  const version = await runProgram('python3', { args: ['--version'], timeoutMs: 20_000 });
  const packages = {
    what: 'OpenFeature for Python from PyPI (41 MB)',
    mark: path.join(pythonPackages, '.prepared'),
    files: FOLDERS.map(({ requirements }) => requirements),
    versions: [version, PLATFORM],
    install,
  };
  await installOnceLocked('python', packages, report);
}

async function install(): Promise<void> {
  for (const { packages, requirements } of FOLDERS) {
    await rm(packages, { recursive: true, force: true });
    await mkdir(packages, { recursive: true });
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:'];
    const hashes = ['--require-hashes', '--requirement', requirements];
    await runProgram('python3', {
      args: ['-m', 'pip', 'install', ...options, ...hashes, '--target', packages],
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
  }
}
