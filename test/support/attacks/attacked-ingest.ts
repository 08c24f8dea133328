import type { ServiceProcess } from '../processes/process.ts';
import { type World, createWorld } from '../world.ts';
import { forkAttacked } from './canary.ts';

export type Attacked = { readonly world: World; readonly ingest: ServiceProcess };

/** Hooks of a `describe` whose tests attack one ingest process in its own world. */
export function attackedIngest(): Attacked {
  let world: World;
  let ingest: ServiceProcess;
  before(async () => {
    world = await createWorld();
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
