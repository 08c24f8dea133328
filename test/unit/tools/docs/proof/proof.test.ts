import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { withFigures } from '../../../../../tools/docs/proof/figures.ts';
import { formatRuns, mergeRuns } from '../../../../../tools/docs/proof/merge-runs.ts';
import type { NotedRun } from '../../../../../tools/run/noted-runs.ts';

const DOCS = path.resolve(import.meta.dirname, '../../../../../docs');
const page = readFileSync(path.join(DOCS, 'proof.md'), 'utf8');
const record = readFileSync(path.join(DOCS, 'develop/runs.jsonl'), 'utf8');

const machine = { processor: 'a processor', cores: 4, memoryGiB: 16, node: 'v24.1.0', commit: 'abc' };

function worlds(day: number, failed = 0): NotedRun {
  const at = `2026-11-${String(day).padStart(2, '0')}T02:00:00.000Z`;
  return { kind: 'simulation', at, machine, firstSeed: day, worlds: 1_000_000, events: 2e9, failed };
}

describe('docs/proof.md', () => {
  it('has the figures of docs/develop/runs.jsonl, as make proof writes them', () => {
    const runs = mergeRuns([record]);
    expect(withFigures(page, runs)).to.equal(page);
    expect(formatRuns(runs)).to.equal(record);
  });

  it('shows the last ten runs, the newest first, also one that broke a promise', () => {
    const runs = Array.from({ length: 12 }, (_, index) => worlds(index + 1, index === 10 ? 3 : 0));
    const rows = withFigures(page, runs)
      .split('\n')
      .filter((line) => line.startsWith('| 2026-11-'));
    const place = '`abc` | 4 cores of a processor, 16 GiB, Node 24.1.0';
    expect(rows.slice(0, 2)).to.deep.equal([
      `| 2026-11-12 | ${place} | 12 | 1,000,000 | 2,000,000,000 | 0 |`,
      `| 2026-11-11 | ${place} | 11 | 1,000,000 | 2,000,000,000 | 3 |`,
    ]);
    expect(rows.at(-1)).to.include('| 2026-11-03 |');
  });

  it('says so if a kind was never run', () => {
    const tables = withFigures(page, [worlds(1)]);
    expect(tables.split('No run is noted yet.')).to.have.lengthOf(5);
  });
});

describe('the record of runs', () => {
  it('has each run once, in the order of time, however many files have it', () => {
    const [one, two, three] = [worlds(1), worlds(2), worlds(3)];
    const atTheSameTime = { ...three, firstSeed: 1 };
    const merged = mergeRuns([formatRuns([three, atTheSameTime, one]), formatRuns([one, two]), '']);
    expect(merged).to.deep.equal([one, two, three, atTheSameTime]);
    expect(mergeRuns([formatRuns(merged)])).to.deep.equal(merged);
  });

  it('forgets the oldest of a kind, and of no other', () => {
    const tests = {
      kind: 'tests',
      seed: '1',
      passed: 1,
      failed: 0,
      acknowledged: 0,
      doubled: 0,
      lost: 0,
    } as const;
    const other: NotedRun = { ...tests, at: '2026-01-01T00:00:00.000Z', machine };
    const runs = Array.from({ length: 500 }, (_, seed) => ({ ...worlds(1 + (seed % 28)), firstSeed: seed }));
    const merged = mergeRuns([formatRuns([...runs, other])]);
    expect(merged).to.have.lengthOf(401);
    expect(merged[0]).to.deep.equal(other);
  });
});
