import type { Visible } from '#base/tokens';
import type { AdminPools } from '../../../pools.ts';
import type { VerdictLife } from '../life-schema.ts';
import { acknowledge } from './acknowledge.ts';
import { type LifeFilter, listLives } from './list-lives.ts';

export type VerdictLives = ReturnType<typeof createVerdictLives>;

/** The lives of verdicts; each acknowledgement writes its event. */
export function createVerdictLives({ db, lists }: AdminPools) {
  return {
    list: (filter: LifeFilter, visible: Visible): Promise<VerdictLife[]> => listLives(lists, filter, visible),
    acknowledge: acknowledge.bind(undefined, db),
  };
}
