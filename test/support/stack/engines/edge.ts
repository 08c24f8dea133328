import { type EdgeOptions, freePort, startEdge } from '../../../../tools/stack/index.ts';
import { type OwnEngine, own } from './own-engines.ts';

/** A real Edge that belongs to one test file, in front of an Unleash or a flagmeter. `prepareEdge` must have built it. */
export async function ownEdge(settings: EdgeOptions['settings']): Promise<OwnEngine> {
  const port = await freePort();
  return own((directory) => startEdge({ directory, port, settings }));
}
