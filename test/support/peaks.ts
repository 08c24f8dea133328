import { setTimeout as sleep } from 'node:timers/promises';
import { readMemory } from './memory.ts';
import type { ServiceProcess } from './process.ts';

/** The most memory of a process in the first and in the last part of a run, in MiB. */
export type Peaks = { readonly first: number; readonly last: number };

const MIB = 1024 * 1024;

/** Looks at the memory of processes each second for so long, and compares the first part of that time with the last. */
export async function watchPeaks(
  processes: Readonly<Record<string, ServiceProcess>>,
  { seconds, part }: { readonly seconds: number; readonly part: number },
): Promise<Record<string, Peaks>> {
  const seen = new Map(Object.keys(processes).map((name) => [name, [] as number[]]));
  for (let second = 0; second < seconds; second += 1) {
    for (const [name, process] of Object.entries(processes)) {
      if (!process.hasEnded()) seen.get(name)?.push(Math.round((await readMemory(process)) / MIB));
    }
    await sleep(1000);
  }
  return Object.fromEntries(
    [...seen].map(([name, mib]) => [
      name,
      { first: Math.max(...mib.slice(0, part)), last: Math.max(...mib.slice(-part)) },
    ]),
  );
}
