import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from '#tooling/traffic';
import { RunError } from '#tooling/stack';
import { type Bench, type Measurement, type Stage, type StageName, lineOf, perRow } from './measurement.ts';
import type { BenchProcess } from '../process/bench-process.ts';
import { type Watched, startMeter } from '../process/meter.ts';
import type { BenchWorld } from '../world.ts';

/** A server that only counts what it received: the floor, or ingest whose broker is in memory. */
export function countingStage(
  name: StageName,
  server: BenchProcess,
  { token, readRows }: { token: string; readRows: (url: string) => Promise<number> },
): Stage {
  let acknowledged = 0;
  return {
    name,
    target: { url: server.url, token },
    servers: [server],
    isStoring: false,
    async settle({ acknowledged: { rows } }) {
      acknowledged += rows;
      const received = await readRows(server.url);
      if (received !== acknowledged) {
        throw new RunError(`${name}: ${acknowledged} rows were acknowledged, but ${received} received`);
      }
    },
  };
}

/** Rows that the floor, or the worker without inserting, has received. */
export async function readRowsAt(url: string): Promise<number> {
  const { rows } = (await (await fetch(url)).json()) as { rows: number }; // our own servers
  return rows;
}

/** Rows of acknowledged batches, according to the metrics of ingest. */
export async function readReceivedMetrics(url: string): Promise<number> {
  const text = await (await fetch(`${url}/internal-backstage/prometheus`)).text();
  return Number(/^flagmeter_ingest_metrics_received_total (\d+)/m.exec(text)?.[1] ?? 0);
}

/** Ingest with Kafka. The later drain of the topic by the worker proves that Kafka has stored everything. */
export function ingestStage(world: BenchWorld, server: BenchProcess): Stage {
  return {
    name: 'ingest, Kafka',
    target: { url: server.url, token: world.token },
    servers: [server],
    isStoring: false,
    settle: (result) => enter(world, result),
  };
}

/** All services; the first one receives. A load has settled when the views show its last row. */
export function wholeStage(
  name: StageName,
  world: BenchWorld,
  servers: readonly [Pick<BenchProcess, 'url' | 'name' | 'pid'>, ...Watched[]],
): Stage {
  return {
    name,
    target: { url: servers[0].url, token: world.token },
    servers,
    isStoring: true,
    async settle(result) {
      await enter(world, result);
      await world.untilReadable();
    },
  };
}

function enter(world: BenchWorld, result: LoadResult): Promise<void> {
  world.enter(result);
  return Promise.resolve();
}

const LOOK_MS = 100;
const DRAIN_DEADLINE_MS = 180_000;

export type Drain = {
  readonly stage: StageName;
  readonly round: number;
  readonly rows: number;
  readonly worker: BenchProcess;
  readonly readRows: () => Promise<number>;
};

/** A worker that starts with a full topic, measured from the first row to the last. */
export async function measureDrain(bench: Bench, drain: Drain): Promise<Measurement> {
  const { stage, round, rows, worker, readRows } = drain;
  const deadline = Date.now() + DRAIN_DEADLINE_MS;
  const untilRows = async (goal: number): Promise<number> => {
    for (let seen = await readRows(); ; seen = await readRows()) {
      if (seen >= goal) return seen;
      if (Date.now() > deadline) throw new RunError(`${stage}: only ${seen} of ${rows} rows arrived in time`);
      await sleep(LOOK_MS);
    }
  };
  const first = await untilRows(1);
  const startedAt = Date.now();
  const readMeter = startMeter([worker, ...bench.engines]);
  const last = await untilRows(rows);
  const seconds = (Date.now() - startedAt) / 1000;
  if (last !== rows) throw new RunError(`${stage}: ${last} rows arrived, but ${rows} were acknowledged`);
  const measurement: Measurement = {
    stage,
    round,
    rows,
    storedPerSecond: (rows - first) / seconds,
    failures: 0,
    ...perRow(readMeter(), rows - first),
  };
  bench.say(lineOf(measurement));
  return measurement;
}
