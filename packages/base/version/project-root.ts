import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of package.json. It is found by searching upwards, because sources and the built `dist` have different depths. */
export function projectRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : projectRoot(dirname(directory));
}
