// `make bench-soak`: soak.ts [--minutes 10] [--directory .local/bench-soak]
import path from 'node:path';
import { parseArgs } from 'node:util';
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
    directory: { type: 'string', default: path.resolve(import.meta.dirname, '../../.local/bench-soak') },
  },
});
const minutes = Number(values.minutes);
const directory = path.resolve(values.directory);
const logs = path.join(directory, 'logs');

await runProgram(logs, soak);

/**
 * Checks that memory stays flat: runs everything at full rate for minutes, reports the peak memory of each process,
 * and checks that all rows are stored.
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
    for (let minute = 1; minute <= minutes; minute += 1) {
      console.log(await measureMinute(minute, { world, agent, processes }));
    }
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

async function measureMinute(minute: number, { world, agent, processes }: Soak): Promise<string> {
  const watched = processes.filter(({ name }) => name !== 'load');
  const [ingest] = watched;
  if (ingest === undefined) throw new RangeError('there is no ingest');
  const readMeter = startMeter(watched);
  const target = { url: ingest.url, token: world.token };
  const result = await agent.run(
    loadOptions({ ...LARGE, imitatesEdge: true }, target, { rate: 'maximum', seconds: 60 }),
  );
  world.enter(result);
  const peaks = Object.entries(readMeter().peakMiB).map(([name, mib]) => `${name} ${mib.toFixed(0)} MiB`);
  const behind = world.acknowledgedRows() - (await world.readStoredRows());
  return `minute ${minute}: ${Math.round(result.rowsPerSecond / 1000)} k rows/s acknowledged, ${behind} rows behind, at most ${peaks.join(', ')}`;
}
