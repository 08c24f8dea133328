import { setTimeout as sleep } from 'node:timers/promises';
import { readMemory } from '../support/stack/measures/memory.ts';
import type { ServiceProcess } from '../support/stack/processes/process.ts';

/** The minimum and the maximum memory of a process in one part of a run, in MiB. */
export type Range = { readonly min: number; readonly max: number };

const MIB = 1024 * 1024;

/** Reads the memory of a process every second. Returns the range of each of `parts` equal parts of the time. */
export async function watchMemory(
  process: ServiceProcess,
  { seconds, parts }: { readonly seconds: number; readonly parts: number },
): Promise<readonly Range[]> {
  const ranges: Range[] = [];
  const begun = performance.now();
  for (;;) {
    const part = Math.floor(((performance.now() - begun) / 1000 / seconds) * parts);
    if (part >= parts || process.hasEnded()) return ranges;
    const mib = Math.round((await readMemory(process)) / MIB);
    const { min, max } = ranges[part] ?? { min: mib, max: mib };
    ranges[part] = { min: Math.min(min, mib), max: Math.max(max, mib) };
    await sleep(1000);
  }
}
