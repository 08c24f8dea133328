import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Failure } from '../runner/protocol.ts';
import { runSeeds } from '../runner/run-seeds.ts';
import { type Defect, textWith } from './defect.ts';

const COPIED = ['packages', 'services', 'test/simulation', 'package.json', 'tsconfig.json'];
const STEPS = 2000;

/** The first of the seeds from 1 that fails with a defect; undefined if none does. */
export function findDefect(defect: Defect, maxSeeds: number): Promise<Failure | undefined> {
  return withCopy(defect, (root) => firstFailure(root, 1, maxSeeds));
}

/** A seed that fails with a defect: the one that found it at last, or else the first from 1. */
export function findDefectAgain(defect: Defect, maxSeeds: number): Promise<Failure | undefined> {
  const { seed } = defect;
  return withCopy(defect, async (root) => {
    const again = seed === undefined ? undefined : await firstFailure(root, seed, seed);
    return again ?? (await firstFailure(root, 1, maxSeeds));
  });
}

async function withCopy<T>(defect: Defect, work: (root: string) => Promise<T>): Promise<T> {
  const root = copyWith(defect);
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function firstFailure(root: string, first: number, last: number): Promise<Failure | undefined> {
  const slice = { first, end: last + 1, steps: STEPS, repeatEvery: 0, stopsAtFirst: true };
  const { failures } = await runSeeds({ ...slice, root, processes: 1 });
  return failures[0];
}

/** A copy of the sources with a defect. Returns its folder. */
function copyWith(defect: Defect): string {
  const text = textWith(defect);
  const root = mkdtempSync(path.join(tmpdir(), 'flagmeter-defect-'));
  mkdirSync(path.join(root, 'test'));
  for (const copied of COPIED) cpSync(copied, path.join(root, copied), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(root, 'node_modules'));
  writeFileSync(path.join(root, defect.file), text);
  return root;
}
