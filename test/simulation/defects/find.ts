import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Failure } from '../runner/protocol.ts';
import { runSeeds } from '../runner/run-seeds.ts';
import { type Defect, textWith } from './defect.ts';

const COPIED = ['packages', 'services', 'test/simulation', 'package.json', 'tsconfig.json'];
const STEPS = 2000;

/** The first of these seeds that fails with a defect; undefined if none does. */
export async function findDefect(defect: Defect, maxSeeds: number): Promise<Failure | undefined> {
  const root = copyWith(defect);
  try {
    const slice = { first: 1, end: maxSeeds + 1, steps: STEPS, repeatEvery: 0, stopsAtFirst: true };
    const { failures } = await runSeeds({ ...slice, root, processes: 1 });
    return failures[0];
  } finally {
    rmSync(root, { recursive: true });
  }
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
