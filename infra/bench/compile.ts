import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where tsconfig.bench.json puts what is measured. */
export const COMPILED = path.join(ROOT, '.local/bench/dist');

/**
 * Compiles what is measured, as for production: tsx wraps every function to keep its name, which would be measured too.
 * Beside `dist`, for whoever has built that means it for something else.
 */
export async function compile(): Promise<void> {
  await promisify(execFile)(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.bench.json'], {
    cwd: ROOT,
  });
  const imports = { '#*': './packages/*/index.js' };
  await writeFile(path.join(COMPILED, 'package.json'), JSON.stringify({ type: 'module', imports }));
}
