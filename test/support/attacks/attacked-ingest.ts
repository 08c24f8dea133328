import type { ServiceProcess } from '../stack/processes/process.ts';
import { createUncountedWorld } from '../uncounted-world.ts';
import type { World } from '../world.ts';
import { forkAttacked } from './canary/canary.ts';

export type Attacked = { readonly world: World; readonly ingest: ServiceProcess };

/** As many as by default, because each has its own queue in ingest. */
const PARTITIONS = { KAFKA_COUNTS_PARTITIONS: '4', KAFKA_APPLICATIONS_PARTITIONS: '2' };

/** Hooks of a `describe` whose tests attack one ingest process in its own world. No worker counts what it stores. */
export function attackedIngest(): Attacked {
  let world: World;
  let ingest: ServiceProcess;
  before(async () => {
    world = await createUncountedWorld(PARTITIONS);
    ingest = await forkAttacked(world, 'ingest');
  });
  after(() => world.dispose());
  return {
    get world() {
      return world;
    },
    get ingest() {
      return ingest;
    },
  };
}
