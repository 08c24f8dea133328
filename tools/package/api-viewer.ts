import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';

const SOURCE = path.resolve(import.meta.dirname, '../../node_modules/swagger-ui-dist');
/** What the page of the API document loads, and the licences of it. */
const FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
];

/**
 * Copies the used files of Swagger UI. A dependency on its package would give every user all its builds, and a script that
 * reports each installation.
 */
export async function copyApiViewer(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of FILES) await cp(path.join(SOURCE, name), path.join(folder, name));
}
