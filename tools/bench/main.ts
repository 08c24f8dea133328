// `make bench`: main.ts [--quick] [--directory .local/bench]
import { writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, noteRun } from '../run/noted-runs.ts';
import { inspectStack } from '../stack/index.ts';
import type { Bench, Measurement } from './rounds/measurement.ts';
import { FULL, QUICK } from './rounds/plans.ts';
import { launchLoadAgent } from './process/bench-process.ts';
import { type BenchStack, runOnStack } from './process/run-on-stack.ts';
import { measureHistory } from './reads/measure-history.ts';
import type { Read } from './reads/reads.ts';
import { NINETY_DAYS } from './reads/roll-ups.ts';
import { figuresOfProof, recordOf } from './report/record.ts';
import { describeMeasurements, describeReads, describeTargets } from './report/report.ts';
import { targetsOf } from './report/targets.ts';
import { runRound } from './rounds/round.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    directory: { type: 'string', default: '.local/bench' },
  },
});
const plan = values.quick ? QUICK : FULL;
const startedAt = new Date();
/** The load that the machine had before the benchmark. */
const loadAverage = loadavg();

await runOnStack(values.directory, bench);

async function bench(stack: BenchStack): Promise<void> {
  const measurements = await measureRounds(stack);
  console.log(`\n${describeMeasurements(measurements)}\n`);
  await writeResults(stack, { measurements, reads: [] });
  const reads = plan.rollUps ? await measureHistory(NINETY_DAYS, { ...stack, say }) : [];
  if (reads.length > 0) console.log(`\n${describeReads(reads)}\n`);
  if (!values.quick) await writeFile('docs/develop/benchmark.csv', recordOf(measurements));
  const targets = targetsOf({ measurements, reads, cores: cpus().length });
  console.log(`${describeTargets(targets)}\n`);
  console.log('All acknowledged rows are stored, and nothing else.');
  for (const figures of figuresOfProof(measurements)) noteRun({ kind: 'bench', ...figures });
  console.log(JSON.stringify(machine()));
  say(`results are in ${await writeResults(stack, { measurements, reads })}`);
}

async function measureRounds({
  addresses,
  directory,
  logs,
  interrupted,
}: BenchStack): Promise<Measurement[]> {
  const { engines } = await inspectStack(directory);
  const agent = await launchLoadAgent(logs, interrupted);
  const shared: Bench = {
    agent,
    engines: engines.flatMap(({ name, pid }) => (pid === undefined ? [] : { name, pid })),
    warmUpSeconds: plan.warmUpSeconds,
    seconds: plan.seconds,
    say,
  };
  const measurements: Measurement[] = [];
  try {
    for (let round = 1; round <= plan.rounds; round += 1) {
      const options = { bench: shared, plan, round, addresses, logs, interrupted };
      measurements.push(...(await runRound(options)));
    }
  } finally {
    await agent.stop();
  }
  return measurements;
}

type Measured = { readonly measurements: readonly Measurement[]; readonly reads: readonly Read[] };

/** Writes the results so far and returns the name of the file. */
async function writeResults({ directory }: BenchStack, measured: Measured): Promise<string> {
  const file = path.join(directory, `results-${startedAt.toISOString().replaceAll(':', '')}.json`);
  const results = { startedAt, machine: machine(), ...measured };
  await writeFile(file, JSON.stringify(results, undefined, 2));
  return file;
}

function machine() {
  return { ...describeMachine(), loadAverageBefore: loadAverage.map((load) => Number(load.toFixed(1))) };
}

/** Prints a line of progress with the seconds since the start. */
function say(line: string): void {
  const seconds = ((Date.now() - startedAt.getTime()) / 1000).toFixed(0);
  console.log(`${seconds.padStart(4)} s  ${line}`);
}
