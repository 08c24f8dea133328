import type { ServiceProcess } from '../processes/process.ts';
import { type World, createWorld } from '../world.ts';

export type Attacked = { readonly world: World; readonly front: ServiceProcess };

/** Hooks of a `describe`: its tests attack one process of ingest, in a world of their own. */
export function attackedIngest(): Attacked {
  let world: World;
  let front: ServiceProcess;
  before(async () => {
    world = await createWorld();
    front = await world.fork('ingest');
  });
  after(() => world.dispose());
  return {
    get world() {
      return world;
    },
    get front() {
      return front;
    },
  };
}
