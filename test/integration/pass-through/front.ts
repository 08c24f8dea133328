import type { ServiceProcess } from '../../support/processes/process.ts';
import { type RawUpstream, startRawUpstream } from '../../support/upstream/raw-upstream.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import type { World } from '../../support/world.ts';

export type Front = {
  /** In place of Unleash. */
  readonly upstream: RawUpstream;
  readonly world: World;
  readonly front: ServiceProcess;
  readonly dispose: () => Promise<void>;
};

type Options = {
  readonly service?: 'ingest' | 'standalone';
  /** Follows the address of the upstream in `UNLEASH_URL`. */
  readonly prefix?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Flagmeter in front of an upstream that the test controls. */
export async function createFront({ service = 'ingest', prefix = '', env }: Options = {}): Promise<Front> {
  const upstream = await startRawUpstream();
  const world = await createUncountedWorld({ UNLEASH_URL: `${upstream.url}${prefix}`, ...env });
  const front = await world.fork(service);
  return {
    upstream,
    world,
    front,
    async dispose() {
      await world.dispose();
      await upstream.kill();
    },
  };
}
