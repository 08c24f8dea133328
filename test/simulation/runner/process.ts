import { inBackground } from '#base/runtime';
import { ALL_FAULTS, type FaultName } from '../faults/faults.ts';
import { type Result, simulate } from '../run.ts';
import { shrink } from './shrink.ts';
import { installVirtualTime } from '../time/virtual-time.ts';
import type { Slice, Told } from './protocol.ts';

/** Runs a part of the seeds, which is its argument, in a process of its own, whose time is virtual. */
installVirtualTime();
const [, , slice = ''] = process.argv;
inBackground(runSlice(JSON.parse(slice) as Slice)); // from our own process

async function runSlice({
  first,
  end,
  stride,
  steps,
  faults,
  repeatEvery,
  stopsAtFirst,
  isTraced = false,
}: Slice): Promise<void> {
  const kinds = ALL_FAULTS.filter((name): name is FaultName => faults === undefined || faults.includes(name));
  for (let seed = first; seed < end; seed += stride) {
    const options = { seed, steps, faults: kinds, onLine: isTraced ? print : undefined };
    const result = await simulate(options);
    tell({ kind: 'run', steps: result.steps, hash: result.hash });
    const isRepeated = repeatEvery > 0 && seed % repeatEvery === 0;
    const again = isRepeated ? await simulate(options) : result;
    if (again.hash !== result.hash)
      tellFailure(result, [`two runs differ: ${result.hash} and ${again.hash}`]);
    else if (result.violations.length > 0) {
      if (stopsAtFirst) tellFailure(result, result.violations);
      else {
        const shrunk = await shrink(options);
        tellFailure(shrunk.result, shrunk.result.violations, shrunk.options);
      }
    }
    if (stopsAtFirst && result.violations.length > 0) break;
  }
  process.disconnect();
}

function tellFailure(
  { seed, faults }: Result,
  violations: readonly string[],
  { steps, faults: kinds }: { readonly steps?: number; readonly faults?: readonly string[] } = {},
): void {
  tell({ kind: 'failure', seed, violations: violations.slice(0, 5), begun: faults, steps, kinds });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell(told: Told): void {
  process.send?.(told);
}
