import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where tsconfig.compiled.json puts what is measured, and what `make test` starts again and again. */
export const COMPILED = path.join(ROOT, '.local/compiled');

/**
 * Compiles the services, as for production: started through tsx each process costs two seconds of CPU more, and tsx wraps
 * every function to keep its name. Beside `dist`, because whoever has built that means it for something else.
 */
export async function compile(): Promise<void> {
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  // Types are for the static checks.
  await promisify(execFile)(tsc, ['-p', 'tsconfig.compiled.json', '--noCheck'], { cwd: ROOT });
  const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const imports = { '#*': './packages/*/index.js' };
  await writeFile(path.join(COMPILED, 'package.json'), JSON.stringify({ version, type: 'module', imports }));
  // Migrations are looked for beside package.json.
  const migrations = path.join(COMPILED, 'infra/migrations');
  if (!existsSync(migrations)) await symlink(path.join(ROOT, 'infra/migrations'), migrations);
}
