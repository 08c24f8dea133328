import type { Failure } from './protocol.ts';
import { runSeeds } from './run-seeds.ts';
import type { Defect } from '../defects/defect.ts';

const STEPS = 2000;

/** The first of the seeds from 1 that fails with a defect; undefined if none does. */
export function findDefect(defect: Defect, maxSeeds: number): Promise<Failure | undefined> {
  return firstFailure(defect, 1, maxSeeds);
}

/** A seed that fails with a defect: the one that found it at last, or else the first from 1. */
export async function findDefectAgain(defect: Defect, maxSeeds: number): Promise<Failure | undefined> {
  const { seed } = defect;
  const again = seed === undefined ? undefined : await firstFailure(defect, seed, seed);
  return again ?? (await firstFailure(defect, 1, maxSeeds));
}

async function firstFailure(defect: Defect, first: number, last: number): Promise<Failure | undefined> {
  const slice = { first, end: last + 1, steps: STEPS, repeatEvery: 0, stopsAtFirst: true };
  const { failures } = await runSeeds({ ...slice, defect, processes: 1 });
  return failures[0];
}
