// `make bench-soak`: soak.ts [--minutes 10] [--half] [--directory .local/bench-soak]
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { LoadOptions, LoadResult } from '#traffic';
import { compile } from '../run/compile.ts';
import { runProgram } from '../run/run-program.ts';
import { cleanStack, downStack, upStack } from '../stack/index.ts';
import { LARGE } from './rounds/plans.ts';
import { type BenchProcess, type LoadAgent, launch, launchLoadAgent } from './process/bench-process.ts';
import { startMeter } from './process/meter.ts';
import { loadOptions } from './rounds/shapes.ts';
import { type BenchWorld, createBenchWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    half: { type: 'boolean', default: false },
    directory: { type: 'string', default: path.resolve(import.meta.dirname, '../../.local/bench-soak') },
  },
});
const minutes = Number(values.minutes);
const directory = path.resolve(values.directory);
const logs = path.join(directory, 'logs');

await runProgram(logs, soak);

/**
 * Checks that memory stays flat: runs everything at full rate for minutes, reports latencies and the peak memory of each process,
 * and checks that all rows are stored. With `--half`, one load at half of that rate follows a minute at full rate: the slowest
 * answers while ClickHouse merges.
 */
async function soak(interrupted: AbortSignal): Promise<number> {
  const processes: BenchProcess[] = [];
  try {
    await compile();
    await cleanStack(directory);
    const addresses = await upStack({ directory, freePorts: true, report: () => undefined });
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
    } else for (let minute = 1; minute <= minutes; minute += 1) await measure(full, parts);
    await world.untilReadable();
    console.log(`All ${world.acknowledgedRows()} acknowledged rows are stored, and nothing else.`);
    await world.close();
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    await Promise.all(processes.map((launched) => launched.stop()));
    await downStack(directory);
  }
  await cleanStack(directory);
  return interrupted.aborted ? 130 : 0;
}

type Soak = {
  readonly world: BenchWorld;
  readonly agent: LoadAgent;
  readonly processes: readonly BenchProcess[];
};

async function measure(
  pace: Pick<LoadOptions, 'rate' | 'seconds'>,
  { world, agent, processes }: Soak,
): Promise<LoadResult> {
  const watched = processes.filter(({ name }) => name !== 'load');
  const [ingest] = watched;
  if (ingest === undefined) throw new RangeError('there is no ingest');
  const readMeter = startMeter(watched);
  const target = { url: ingest.url, token: world.token };
  const result = await agent.run(loadOptions({ ...LARGE, imitatesEdge: true }, target, pace));
  world.enter(result);
  const { p50, p99, p999, max } = result.latencyMs;
  const peaks = Object.entries(readMeter().peakMiB).map(([name, mib]) => `${name} ${mib.toFixed(0)} MiB`);
  const behind = world.acknowledgedRows() - (await world.readStoredRows());
  console.log(
    [
      `${pace.seconds / 60} minutes: ${Math.round(result.rowsPerSecond / 1000)} k rows/s acknowledged, ${behind} rows behind`,
      `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)}, at most ${max.toFixed(1)} ms`,
      `at most ${peaks.join(', ')}`,
    ].join('; '),
  );
  return result;
}
