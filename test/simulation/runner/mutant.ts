import { inBackground } from '#base/runtime';
import { installVirtualTime } from '../time/virtual-time.ts';

/** Worlds to run with a mutant, or without one to learn which mutants each world meets. */
type Order = { readonly seeds: readonly number[]; readonly mutant?: string };

/** The variables of the code that Stryker has instrumented. */
type Stryker = {
  activeMutant?: string;
  currentTestId?: string;
  mutantCoverage: { readonly static: object; readonly perTest: Record<string, object> };
};

const STEPS = 2000;
/** A world needs a tenth of a second. In CPU time, so that a busy machine ends no world. */
const ENDLESS_CPU_MS = 5000;

/**
 * Runs worlds with mutants in a process of its own (tools/mutants/simulation.mjs). A mutant must be active before the code is
 * loaded, because it may change what runs then. Time is virtual only afterwards.
 */
const perTest: Record<string, object> = {};
const stryker: Stryker = { mutantCoverage: { static: {}, perTest } };
Object.assign(globalThis, { __stryker__: stryker });
let simulation: typeof import('../run.ts') | undefined;
let endOfWorldMs = Infinity;
endEndlessWorlds();
process.on('message', (order: Order) => {
  inBackground(run(order).then(tell));
});

/** Ends with the first violation. */
async function run({ seeds, mutant }: Order): Promise<object> {
  if (mutant !== undefined) stryker.activeMutant = mutant;
  simulation ??= await load();
  for (const seed of seeds) {
    stryker.currentTestId = `${seed}`;
    endOfWorldMs = cpuMs() + ENDLESS_CPU_MS;
    const { violations } = await simulation.simulate({ seed, steps: STEPS });
    const [violation] = violations;
    if (violation !== undefined) return { seed, violation };
  }
  return { coverage: perTest };
}

async function load(): Promise<typeof import('../run.ts')> {
  const loaded = await import('../run.ts');
  installVirtualTime();
  return loaded;
}

/** Instrumented code counts each use of a mutant, which also shows whether a world has no end. */
function endEndlessWorlds(): void {
  let uses = 0;
  Object.defineProperty(stryker.mutantCoverage, 'perTest', {
    get: () => {
      uses += 1;
      if (uses % 1000 === 0 && cpuMs() > endOfWorldMs) process.exit(1);
      return perTest;
    },
  });
}

function cpuMs(): number {
  return process.cpuUsage().user / 1000;
}

function tell(answer: object): void {
  process.send?.(answer);
}
