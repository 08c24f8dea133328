import { parseArgs } from 'node:util';
import { noteRun } from '../../tools/run/noted-runs.ts';
import { ALL_FAULTS } from './faults/faults.ts';
import type { Failure } from './runner/protocol.ts';
import { runSeeds } from './runner/run-seeds.ts';

/**
 * Runs simulations: `--seeds=1000` from `--from=1` on, or one with `--seed`. `--steps` are the events with faults, `--faults` the
 * kinds that may occur, separated by commas. `--trace` prints all events and logs. `--forever` goes on until a run fails. The exit code is 1 if one failed.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '2000' },
    faults: { type: 'string' },
    trace: { type: 'boolean', default: false },
    forever: { type: 'boolean', default: false },
  },
});
const faults = values.faults?.split(',').map((name) => name.trim());
const unknown = faults?.filter((name) => !ALL_FAULTS.some((known) => known === name)) ?? [];
if (unknown.length > 0) {
  print(`Unknown faults: ${unknown.join(', ')}. Known are: ${ALL_FAULTS.join(', ')}.`);
  process.exit(2);
}
process.exitCode = await run();

async function run(): Promise<number> {
  const steps = Number(values.steps);
  const first = Number(values.seed ?? values.from);
  const count = values.seed === undefined ? Number(values.seeds) : 1;
  const isTraced = values.trace;
  const repeatEvery = isTraced ? 0 : values.seed === undefined ? 10 : 1;
  for (let from = first; ; from += count) {
    const startedAt = performance.now();
    const slice = {
      first: from,
      end: from + count,
      steps,
      faults,
      repeatEvery,
      isTraced,
      stopsAtFirst: isTraced,
    };
    const { runs, steps: events, failures } = await runSeeds({ ...slice, onFailure: describe });
    const seconds = (performance.now() - startedAt) / 1000;
    print(
      `${runs} runs from seed ${from} in ${seconds.toFixed(0)} s, ${Math.round(events / seconds)} steps a second: ${failures.length} failed`,
    );
    const isUsual = count > 1 && faults === undefined && !isTraced;
    if (isUsual)
      noteRun({ kind: 'simulation', firstSeed: from, worlds: runs, events, failed: failures.length });
    if (failures.length > 0) return 1;
    if (!values.forever) return 0;
  }
}

function describe({ seed, violations, begun, steps, kinds }: Failure): void {
  print(`\nseed ${seed} fails:`);
  for (const violation of violations) print(`  ${violation}`);
  print(`  faults: ${begun.join(', ')}`);
  const options = steps === undefined ? '' : ` STEPS=${steps} FAULTS='${kinds?.join(',') ?? ''}'`;
  print(`  repeat it: make simulate SEED=${seed}${options}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
