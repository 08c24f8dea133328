// `make bench-pass-through`: pass-through.ts [--seconds 4] [--rounds 5]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, compile } from '../../run/compile.ts';
import { runAtTerminal } from '#tooling/stack';
import { type GetResult, type Shape, shapesOf, getRepeatedly } from './load.ts';
import { type BenchProcess, launch } from '../process/bench-process.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
  },
});
const directory = path.join(ROOT, '.local/bench-pass-through');

/** No one connects to them: the broker is in memory, and requests for features need no token of ours. */
const NO_ENGINES = {
  KAFKA_BROKERS: '127.0.0.1:9',
  CLICKHOUSE_URL: 'http://127.0.0.1:9',
  DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  REDIS_URL: 'redis://127.0.0.1:9',
  LOG_LEVEL: 'fatal',
  PORT: '0',
};

await runAtTerminal(directory, measure);

/** Each way in turn within a round, so that what else the machine does meets all of them. */
async function measure(interrupted: AbortSignal): Promise<number> {
  await compile();
  const started: Pick<BenchProcess, 'stop'>[] = [];
  const start = async (name: string, program: string, env: Record<string, string>): Promise<BenchProcess> => {
    const launched = await launch({ name, program: `tools/bench/servers/${program}`, env, logs: directory });
    started.push(launched);
    return launched;
  };
  try {
    const unleash = await start('features', 'features', {});
    const settings = { ...NO_ENGINES, UNLEASH_URL: unleash.url };
    const flagmeter = await start('flagmeter', 'ingest-in-memory', settings);
    const ways = Object.entries({ direct: unleash.url, flagmeter: flagmeter.url });
    for (const shape of await shapesOf(unleash.url)) {
      const results = new Map<string, GetResult[]>();
      // The first round is the warm-up.
      for (let round = 0; round <= Number(values.rounds); round += 1) {
        for (const [way, url] of ways) {
          if (interrupted.aborted) continue;
          const result = await getRepeatedly(url, shape, Number(values.seconds) * 1000);
          if (round > 0) results.set(way, [...(results.get(way) ?? []), result]);
        }
      }
      print(shape, results);
    }
  } finally {
    for (const process of started.reverse()) await process.stop();
  }
  return interrupted.aborted ? 130 : 0;
}

function print(shape: Shape, results: ReadonlyMap<string, readonly GetResult[]>): void {
  console.log(
    `\n${shape.title}\n\n| way | requests/s | to direct | p50 ms | p99 ms |\n|---|---:|---:|---:|---:|`,
  );
  const direct = medianOf(results.get('direct') ?? [], 'perSecond');
  for (const [way, rounds] of results) {
    const perSecond = medianOf(rounds, 'perSecond');
    const cells = [perSecond.toFixed(0), (perSecond / direct).toFixed(2)];
    const times = [medianOf(rounds, 'p50Ms').toFixed(2), medianOf(rounds, 'p99Ms').toFixed(1)];
    console.log(`| ${[way, ...cells, ...times].join(' | ')} |`);
  }
}

function medianOf(rounds: readonly GetResult[], figure: keyof GetResult): number {
  const sorted = rounds.map((round) => round[figure]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
