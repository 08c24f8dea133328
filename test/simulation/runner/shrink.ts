import { ALL_FAULTS, type FaultName } from '../faults/faults.ts';
import { type Result, type RunOptions, simulate } from '../run.ts';

type Options = RunOptions & Required<Pick<RunOptions, 'faults'>>;

/** A run that fails with as few kinds of faults and as few steps as were found. */
export type Shrunk = { readonly options: Options; readonly result: Result };

/** Leaves out kinds of faults one after the other, then steps, as long as the run still fails. */
export async function shrink(failing: RunOptions): Promise<Shrunk> {
  let options: Options = { faults: ALL_FAULTS, ...failing };
  let result = await simulate(options);
  const tryWith = async (changed: Options): Promise<boolean> => {
    const tried = await simulate(changed);
    if (tried.violations.length === 0) return false;
    options = changed;
    result = tried;
    return true;
  };
  const begun = new Set(result.faults.map((text) => text.slice(text.indexOf(' ') + 1)));
  await tryWith({ ...options, faults: options.faults.filter((name) => begun.has(name)) });
  for (const name of options.faults) await tryWith({ ...options, faults: without(options.faults, name) });
  for (let part = options.steps / 2; part >= 50; part /= 2)
    while (options.steps > part && (await tryWith({ ...options, steps: Math.floor(options.steps - part) })));
  return { options, result };
}

function without(names: readonly FaultName[], name: FaultName): FaultName[] {
  return names.filter((other) => other !== name);
}
