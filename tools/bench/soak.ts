// `make bench-soak`: soak.ts [--minutes 10] [--half] [--directory .local/bench-soak]
import { parseArgs } from 'node:util';
import type { LoadOptions, LoadResult } from '#tooling/traffic';
import { type Minute, noteRun } from '../run/noted-runs.ts';
import { LARGE } from './rounds/plans.ts';
import { type BenchProcess, type LoadAgent, launch, launchLoadAgent } from './process/bench-process.ts';
import { startMeter } from './process/meter.ts';
import { type BenchStack, runOnStack } from './process/run-on-stack.ts';
import { loadOptions } from './rounds/shapes.ts';
import { type BenchWorld, createBenchWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    half: { type: 'boolean', default: false },
    directory: { type: 'string', default: '.local/bench-soak' },
  },
});
const minutes = Number(values.minutes);

await runOnStack(values.directory, soak);

/**
 * Checks that memory stays flat: runs everything at full rate for minutes, reports latencies and the peak memory of each process,
 * and checks that all rows are stored. With `--half`, one load at half of that rate follows a minute at full rate: the slowest
 * answers while ClickHouse merges.
 */
async function soak({ addresses, logs, interrupted }: BenchStack): Promise<void> {
  const processes: BenchProcess[] = [];
  try {
    const world = await createBenchWorld(addresses, 'soak');
    const agent = await launchLoadAgent(logs, interrupted);
    processes.push(agent);
    for (const name of ['ingest', 'worker']) {
      processes.push(await launch({ name, program: `services/${name}/main`, env: world.env, logs }));
    }
    const parts = { world, agent, processes };
    const full = { rate: 'maximum', seconds: 60 } as const;
    if (values.half) {
      const { requestsPerSecond } = await measure(full, parts);
      await measure({ rate: requestsPerSecond / 2, seconds: minutes * 60 }, parts);
    }
    const each: Minute[] = [];
    while (!values.half && each.length < minutes) {
      const { rate, peakMiB } = await measure(full, parts);
      each.push({ rate, peakMiB });
    }
    await world.untilReadable();
    if (each.length > 0) noteRun({ kind: 'soak', minutes: each });
    console.log(`All ${world.acknowledgedRows()} acknowledged rows are stored, and nothing else.`);
    await world.close();
  } finally {
    await Promise.all(processes.map((launched) => launched.stop()));
  }
}

type Soak = {
  readonly world: BenchWorld;
  readonly agent: LoadAgent;
  readonly processes: readonly BenchProcess[];
};

async function measure(
  pace: Pick<LoadOptions, 'rate' | 'seconds'>,
  { world, agent, processes }: Soak,
): Promise<Minute & Pick<LoadResult, 'requestsPerSecond'>> {
  const watched = processes.filter(({ name }) => name !== 'load');
  const [ingest] = watched;
  if (ingest === undefined) throw new RangeError('there is no ingest');
  const readMeter = startMeter(watched);
  const target = { url: ingest.url, token: world.token };
  const result = await agent.run(loadOptions(LARGE, target, pace));
  world.enter(result);
  const { p50, p99, p999, max } = result.latencyMs;
  const { peakMiB } = readMeter();
  const peaks = Object.entries(peakMiB).map(([name, mib]) => `${name} ${mib.toFixed(0)} MiB`);
  const behind = world.acknowledgedRows() - (await world.readStoredRows());
  console.log(
    [
      `${pace.seconds / 60} minutes: ${Math.round(result.rowsPerSecond / 1000)} k rows/s acknowledged, ${behind} rows behind`,
      `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)}, at most ${max.toFixed(1)} ms`,
      `at most ${peaks.join(', ')}`,
    ].join('; '),
  );
  return { rate: result.rowsPerSecond, requestsPerSecond: result.requestsPerSecond, peakMiB };
}
