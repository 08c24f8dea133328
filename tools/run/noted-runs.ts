import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';

/** What long runs leave for docs/proof.md, a line each. */
export const NOTED_RUNS = path.resolve(import.meta.dirname, '../../.local/proof/runs.jsonl');

/** What a run has shown. */
export type Run =
  | {
      readonly kind: 'simulation';
      readonly firstSeed: number;
      readonly worlds: number;
      readonly events: number;
      readonly failed: number;
    }
  | {
      readonly kind: 'tests';
      /** Of the random choices. */
      readonly seed: string;
      readonly passed: number;
      readonly failed: number;
      /** Batches of the stories with faults. */
      readonly acknowledged: number;
      readonly doubled: number;
      readonly lost: number;
    }
  | { readonly kind: 'mutants'; readonly changes: number; readonly survivors: number }
  | {
      readonly kind: 'bench';
      readonly rows: number;
      /** Rows in a second. */
      readonly floor: number;
      readonly everything: number;
    }
  | { readonly kind: 'soak'; readonly minutes: readonly Minute[] };

/** One minute at full rate: rows in a second, and the most memory of each process so far. */
export type Minute = { readonly rate: number; readonly peakMiB: Readonly<Record<string, number>> };

export type NotedRun = Run & {
  /** When it ended. */
  readonly at: string;
  readonly machine: Machine;
};

export type Machine = ReturnType<typeof describeMachine>;

export function noteRun(run: Run): void {
  const noted: NotedRun = { ...run, at: new Date().toISOString(), machine: describeMachine() };
  mkdirSync(path.dirname(NOTED_RUNS), { recursive: true });
  appendFileSync(NOTED_RUNS, `${JSON.stringify(noted)}\n`);
}

export function describeMachine() {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: import.meta.dirname });
  return {
    processor: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    commit: commit.toString().trim(),
  };
}
