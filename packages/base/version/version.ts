import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';

/** The version of flagmeter in package.json. */
export function readVersion(): string {
  const file = join(projectRoot(import.meta.dirname), 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }; // our own file
  return version;
}
