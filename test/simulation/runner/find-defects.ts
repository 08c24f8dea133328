import type { Failure } from './protocol.ts';
import { runSeeds } from './run-seeds.ts';
import type { Defect } from '../defects/defect.ts';
import { readSeeds } from '../defects/seeds.ts';

const STEPS = 2000;
/** Most defects fail one world of a hundred, and the rarest one of thousands. */
const MAX_SEEDS = 4000;

/** A seed that fails with a defect: the one that found it at last, or else the first from 1; undefined if none does. */
export async function findDefect(defect: Defect): Promise<Failure | undefined> {
  const seed = readSeeds().get(defect.name);
  const again = seed === undefined ? undefined : await firstFailure(defect, seed, seed);
  return again ?? (await firstFailure(defect, 1, MAX_SEEDS));
}

async function firstFailure(defect: Defect, first: number, last: number): Promise<Failure | undefined> {
  const slice = { first, end: last + 1, steps: STEPS, repeatEvery: 0, stopsAtFirst: true };
  const { failures } = await runSeeds({ ...slice, defect, processes: 1 });
  return failures[0];
}
