import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json: sources and the built `dist` lie at different depths below it. */
export function projectRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : projectRoot(dirname(directory));
}
