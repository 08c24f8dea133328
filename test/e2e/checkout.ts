import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prepareEngines } from '../../tools/stack/index.ts';

const NODE = 'tools/stack/manifests/node';
const SOURCES = [
  'Makefile',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'SECURITY.md',
  'package.json',
  'package-lock.json',
  'docs',
  'examples',
  'infra',
  'packages',
  'services',
  'tools',
];
/** Folders that the copy shares with this checkout. */
const INSTALLED = ['node_modules', `${NODE}/node_modules`, '.local/engines'];

/** A copy of this checkout with an empty `.local`, as a new user has it. Returns its directory. */
export async function copyCheckout(): Promise<string> {
  await prepareEngines(() => undefined);
  // The copy would install through the links and damage this checkout.
  if (!existsSync('node_modules/.installed')) throw new Error('install the packages with "make install"');
  const directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-checkout-'));
  const inCopy = (name: string): string => path.join(directory, name);
  const settings = readdirSync('.').filter((name) => name.startsWith('tsconfig'));
  for (const name of [...SOURCES, ...settings]) {
    await cp(name, inCopy(name), {
      recursive: true,
      filter: (file) => path.basename(file) !== 'node_modules',
    });
  }
  for (const name of INSTALLED.filter((installed) => existsSync(installed))) {
    await mkdir(path.dirname(inCopy(name)), { recursive: true });
    await symlink(path.resolve(name), inCopy(name));
  }
  // make installs again if one of them is newer than the installed packages.
  for (const lock of ['package-lock.json', `${NODE}/package-lock.json`]) await utimes(inCopy(lock), 0, 0);
  return directory;
}
