import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildConsole } from '../console/build.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The output folder of tsconfig.compiled.json. It holds the programs that benchmarks measure and `make test` starts.
 */
export const COMPILED = path.join(ROOT, '.local/compiled');

/**
 * Compiles the services as for production. Through tsx each start costs two more seconds of CPU, and tsx wraps every
 * function to keep its name. The output is not `dist`, because a user may need the `dist` that they built.
 */
export async function compile(): Promise<void> {
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  // The static checks cover types.
  await Promise.all([
    promisify(execFile)(tsc, ['-p', 'tsconfig.compiled.json', '--noCheck'], { cwd: ROOT }),
    buildConsole(path.join(COMPILED, 'dist/console')),
  ]);
  const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const imports = { '#*': './packages/*/index.js' };
  await writeFile(path.join(COMPILED, 'package.json'), JSON.stringify({ version, type: 'module', imports }));
  // The programs look for migrations beside package.json.
  const migrations = path.join(COMPILED, 'infra/migrations');
  await mkdir(path.dirname(migrations), { recursive: true });
  if (!existsSync(migrations)) await symlink(path.join(ROOT, 'infra/migrations'), migrations);
}
