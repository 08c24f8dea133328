// `make bench-profile`: profile.ts [--directory .local/bench-profile]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { LARGE, SMALL } from './rounds/plans.ts';
import { type BenchProcess, type LoadAgent, launch, launchLoadAgent } from './process/bench-process.ts';
import { type Shares, readCpuProfile } from './process/cpu-profile.ts';
import { type BenchStack, runOnStack } from './process/run-on-stack.ts';
import { type Shape, loadOptions } from './rounds/shapes.ts';
import { type BenchWorld, createBenchWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: '.local/bench-profile' },
  },
});
const SECONDS = 6;
const SHOWN_MODULES = 12;
const SHOWN_FUNCTIONS = 25;

const OTLP: Shape = { ...LARGE, format: 'protobuf' };

await runOnStack(values.directory, profile, { keepsLogs: true });

/**
 * Profiles ingest under the largest and the smallest body, and under one of OpenTelemetry, each in its own process, and the worker that
 * drains them.
 */
async function profile(stack: BenchStack): Promise<void> {
  const agent = await launchLoadAgent(stack.logs, stack.interrupted);
  try {
    for (const shape of [LARGE, SMALL, OTLP]) await profileShape(shape, stack, agent);
  } finally {
    await agent.stop();
  }
}

async function profileShape(shape: Shape, { addresses, logs }: BenchStack, agent: LoadAgent): Promise<void> {
  const world = await createBenchWorld(addresses, `profile_${labelOf(shape)}`);
  await profileIngest({ world, logs, shape }, agent);
  await profileWorker({ world, logs, shape });
  await world.close();
}

function labelOf({ rows, format }: Shape): string {
  return `${rows}_${format ?? 'rows'}`;
}

type Profiling = { readonly world: BenchWorld; readonly logs: string; readonly shape: Shape };

async function profileIngest({ world, logs, shape }: Profiling, agent: LoadAgent): Promise<void> {
  const name = `ingest-${labelOf(shape)}`;
  const { profiled: ingest, startMs } = await launchProfiled(name, 'services/ingest/main', { world, logs });
  try {
    const target = { url: ingest.url, token: world.token };
    world.enter(await agent.run(loadOptions(shape, target, { rate: 'maximum', seconds: SECONDS })));
  } finally {
    await ingest.stop();
  }
  await show({ name, logs, startMs });
}

async function profileWorker({ world, logs, shape }: Profiling): Promise<void> {
  const name = `worker-${labelOf(shape)}`;
  const { profiled: worker, startMs } = await launchProfiled(name, 'services/worker/main', { world, logs });
  try {
    await world.untilReadable();
  } finally {
    await worker.stop();
  }
  await show({ name, logs, startMs });
}

type Profiled = {
  readonly profiled: BenchProcess;
  /** Duration of the start, which the profile leaves out. */
  readonly startMs: number;
};

async function launchProfiled(
  name: string,
  program: string,
  { world, logs }: Pick<Profiling, 'world' | 'logs'>,
): Promise<Profiled> {
  const startedAt = Date.now();
  const execArgv = ['--cpu-prof', `--cpu-prof-dir=${logs}`, `--cpu-prof-name=${name}.cpuprofile`];
  const profiled = await launch({ name, program, env: world.env, logs, execArgv });
  return { profiled, startMs: Date.now() - startedAt };
}

type Shown = { readonly name: string; readonly logs: string; readonly startMs: number };

async function show({ name, logs, startMs }: Shown): Promise<void> {
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
