import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Service } from '#base/runtime';
import type { startAdmin } from '../../../services/admin/app.ts';
import type { World } from '../../support/world.ts';

/**
 * Runs an admin service in this process, which costs less than a process of its own. It is a compiled one, because one from
 * source does not serve the console.
 */
export async function runConsole(world: World): Promise<Service> {
  const compiled = process.env['FLAGMETER_COMPILED'];
  if (compiled === undefined) throw new Error('Tests of the console need a compiled one: run make test');
  const app = pathToFileURL(path.join(compiled, 'services/admin/app.js'));
  const { startAdmin: start } = (await import(app.href)) as { startAdmin: typeof startAdmin }; // compiled from it
  return world.run(start);
}
