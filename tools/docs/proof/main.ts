// `make proof`: adds what runs have noted to docs/develop/runs.jsonl, and writes their figures into docs/proof.md.
import { existsSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { NOTED_RUNS } from '../../run/noted-runs.ts';
import { formatRuns, mergeRuns } from './merge-runs.ts';
import { withFigures } from './figures.ts';

const DOCS = path.resolve(import.meta.dirname, '../../../docs');
const RECORD = path.join(DOCS, 'develop/runs.jsonl');
const PAGE = path.join(DOCS, 'proof.md');

/** The nightly workflow puts the lines of its jobs, and those of earlier nights, into the same folder. */
async function readNoted(): Promise<string[]> {
  const folder = path.dirname(NOTED_RUNS);
  if (!existsSync(folder)) return [];
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.jsonl')).map((name) => path.join(folder, name));
  return Promise.all(files.map((file) => readFile(file, 'utf8')));
}

const runs = mergeRuns([await readFile(RECORD, 'utf8'), ...(await readNoted())]);
await writeFile(RECORD, formatRuns(runs));
await writeFile(PAGE, withFigures(await readFile(PAGE, 'utf8'), runs));
console.log(`${runs.length} runs are in ${path.relative('.', RECORD)} and ${path.relative('.', PAGE)}`);
