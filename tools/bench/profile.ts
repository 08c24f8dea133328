// `make bench-profile`: profile.ts [--directory .local/bench-profile]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../run/compile.ts';
import { runProgram } from '../run/run-program.ts';
import { type StackAddresses, cleanStack, downStack, upStack } from '../stack/index.ts';
import { LARGE, SMALL } from './rounds/plans.ts';
import { type BenchProcess, type LoadAgent, launch, launchLoadAgent } from './process/bench-process.ts';
import { type Shares, readCpuProfile } from './process/cpu-profile.ts';
import { type Shape, loadOptions } from './rounds/shapes.ts';
import { type BenchWorld, createBenchWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    directory: {
      type: 'string',
      default: path.resolve(import.meta.dirname, '../../.local/bench-profile'),
    },
  },
});
const directory = path.resolve(values.directory);
const logs = path.join(directory, 'logs');
const SECONDS = 6;
const SHOWN_MODULES = 12;
const SHOWN_FUNCTIONS = 25;

await runProgram(logs, profile);

/**
 * Profiles ingest under the largest and the smallest body, each in its own process, and the worker that drains both.
 */
async function profile(interrupted: AbortSignal): Promise<number> {
  let agent: LoadAgent | undefined;
  try {
    await compile();
    await cleanStack(directory);
    const addresses = await upStack({ directory, freePorts: true, report: () => undefined });
    agent = await launchLoadAgent(logs, interrupted);
    for (const bare of [LARGE, SMALL]) await profileShape({ ...bare, imitatesEdge: true }, addresses, agent);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    await agent?.stop();
    await downStack(directory);
  }
  return interrupted.aborted ? 130 : 0;
}

async function profileShape(shape: Shape, addresses: StackAddresses, agent: LoadAgent): Promise<void> {
  const world = await createBenchWorld(addresses, `profile_${shape.rows}`);
  await profileIngest(world, agent, shape);
  await profileWorker(world, shape);
  await world.close();
}

async function profileIngest(world: BenchWorld, agent: LoadAgent, shape: Shape): Promise<void> {
  const name = `ingest-${shape.rows}`;
  const { profiled: ingest, startMs } = await launchProfiled(name, 'services/ingest/main', world);
  try {
    const target = { url: ingest.url, token: world.token };
    world.enter(await agent.run(loadOptions(shape, target, { rate: 'maximum', seconds: SECONDS })));
  } finally {
    await ingest.stop();
  }
  await show(name, startMs);
}

async function profileWorker(world: BenchWorld, shape: Shape): Promise<void> {
  const name = `worker-${shape.rows}`;
  const { profiled: worker, startMs } = await launchProfiled(name, 'services/worker/main', world);
  try {
    await world.untilReadable();
  } finally {
    await worker.stop();
  }
  await show(name, startMs);
}

type Profiled = {
  readonly profiled: BenchProcess;
  /** Duration of the start, which the profile leaves out. */
  readonly startMs: number;
};

async function launchProfiled(name: string, program: string, world: BenchWorld): Promise<Profiled> {
  const startedAt = Date.now();
  const execArgv = ['--cpu-prof', `--cpu-prof-dir=${logs}`, `--cpu-prof-name=${name}.cpuprofile`];
  const profiled = await launch({ name, program, env: world.env, logs, execArgv });
  return { profiled, startMs: Date.now() - startedAt };
}

async function show(name: string, startMs: number): Promise<void> {
  const file = path.join(logs, `${name}.cpuprofile`);
  const { modules, functions } = await readCpuProfile(file, startMs);
  console.log(`\n${name}: own time by module`);
  print(modules.slice(0, SHOWN_MODULES));
  console.log(`\n${name}: own time by function; all of it in ${file}`);
  print(functions.slice(0, SHOWN_FUNCTIONS));
}

function print(shares: Shares): void {
  for (const [name, share] of shares) console.log(`  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`);
}
