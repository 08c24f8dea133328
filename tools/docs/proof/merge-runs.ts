import type { NotedRun } from '../../run/noted-runs.ts';

/** Of each kind, so that the record does not grow for ever. */
const KEPT = 400;

/** The runs of these files, each once, the oldest first. */
export function mergeRuns(files: readonly string[]): NotedRun[] {
  const lines = new Set(files.flatMap((file) => file.split('\n')).filter((line) => line !== ''));
  const runs = Array.from(lines, (line) => JSON.parse(line) as NotedRun); // written by `noteRun`
  const kept = new Map<string, number>();
  return runs
    .toSorted((a, b) => a.at.localeCompare(b.at))
    .reverse()
    .filter(({ kind }) => {
      const count = (kept.get(kind) ?? 0) + 1;
      kept.set(kind, count);
      return count <= KEPT;
    })
    .reverse();
}

export function formatRuns(runs: readonly NotedRun[]): string {
  return runs.map((run) => `${JSON.stringify(run)}\n`).join('');
}
