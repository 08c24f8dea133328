import type { Service } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { type RawUpstream, startRawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { createUncountedWorld } from '../../../support/uncounted-world.ts';
import type { World } from '../../../support/world.ts';

export type Front<S extends Service | ServiceProcess = Service> = {
  /** In place of Unleash. */
  readonly upstream: RawUpstream;
  readonly world: World;
  readonly front: S;
  readonly dispose: () => Promise<void>;
};

type Options = {
  /** Follows the address of the upstream in `UNLEASH_URL`. */
  readonly prefix?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** An ingest in this process, in front of an upstream that the test controls. */
export function createFront(options: Options = {}): Promise<Front> {
  return createFrontOf((world) => world.run(startIngest), options);
}

/** Flagmeter in a process of its own, in front of such an upstream. */
export function createFrontProcess(
  service: 'ingest' | 'standalone',
  options: Options = {},
): Promise<Front<ServiceProcess>> {
  return createFrontOf((world) => world.fork(service), options);
}

async function createFrontOf<S extends Service | ServiceProcess>(
  start: (world: World) => Promise<S>,
  { prefix = '', env }: Options,
): Promise<Front<S>> {
  const upstream = await startRawUpstream();
  const world = await createUncountedWorld({ UNLEASH_URL: `${upstream.url}${prefix}`, ...env });
  const front = await start(world);
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
