import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildConsole } from '../console/build.ts';
import { copyApiViewer } from './api-viewer.ts';
import { buildSite } from '../site/site.ts';
import { bundleLibraries } from './libraries.ts';

/** `make build`: all that the npm package and the image hold in `dist`. */
const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

const STEPS = [
  [
    'compiling packages and services',
    () => promisify(execFile)(process.execPath, [TSC, '-p', 'tsconfig.build.json'], { cwd: ROOT }),
  ],
  ['bundling libraries', () => bundleLibraries(DIST)],
  ['copying Swagger UI', () => copyApiViewer(path.join(DIST, 'api-viewer'))],
  ['bundling the console', () => buildConsole(path.join(DIST, 'console'))],
  ['writing the documents', () => buildSite(path.join(DIST, 'help'), { form: 'package' })],
] as const;

try {
  // Standard output belongs to npm, which prints the name of a package there.
  for (const [text, step] of STEPS) {
    console.error(`${text} ...`);
    await step();
  }
  console.error('dist/ is complete.');
} catch (error) {
  // tsc prints what it found.
  if (error instanceof Error && 'stdout' in error) console.error(String(error.stdout));
  throw error;
}
