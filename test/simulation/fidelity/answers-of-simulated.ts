import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FROM_SOURCES } from '../../../tools/run/from-sources.ts';

/** Runs a script on a simulated engine, in a process of its own, whose time is virtual. */
export async function answersOfSimulated(
  engine: 'clickhouse' | 'replicas' | 'kafka',
  now: number,
  torn: readonly string[] = [],
): Promise<unknown[]> {
  const args = [
    ...FROM_SOURCES,
    'test/simulation/fidelity/main.ts',
    engine,
    String(now),
    JSON.stringify(torn),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as unknown[]; // printed by our own script
}

/** As the simulated answers come. */
export function asJson(answers: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(answers)) as unknown[];
}
