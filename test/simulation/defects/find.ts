import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Failure } from '../runner/protocol.ts';
import { runSeeds } from '../runner/run-seeds.ts';
import type { Defect } from './defect.ts';

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
function copyWith({ file, from, to, name }: Defect): string {
  const root = mkdtempSync(path.join(tmpdir(), 'flagmeter-defect-'));
  mkdirSync(path.join(root, 'test'));
  for (const copied of COPIED) cpSync(copied, path.join(root, copied), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(root, 'node_modules'));
  const changed = path.join(root, file);
  const text = readFileSync(changed, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${name}: the text is not exactly once in ${file}`);
  writeFileSync(
    changed,
    text.replace(from, () => to),
  );
  return root;
}
