import type { AdminPools } from '../../pools.ts';
import { listCleanUps } from './store/list.ts';
import { moveCleanUp } from './store/move.ts';

export type CleanUpStore = ReturnType<typeof createCleanUps>;

export function createCleanUps({ db, lists }: AdminPools) {
  return {
    list: listCleanUps.bind(undefined, lists),
    move: moveCleanUp.bind(undefined, db),
  };
}
