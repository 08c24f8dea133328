import { fork } from 'node:child_process';

const SOURCE = 'test/simulation/runner/mutant.ts';
/** In the sandbox, which Stryker removes. */
const PROGRAM = `.local/simulation/mutant-${process.pid}.mjs`;
const OPTIONS = ['--max-semi-space-size=64', '--max-old-space-size=1024'];

/** Runs the mutants that survive the tests of another runner in so many worlds, which are tests too. */
export function withWorlds(runner, worlds) {
  const simulation = new Simulation();
  const seeds = Array.from({ length: worlds }, (_, index) => index + 1);
  return {
    capabilities: () => runner.capabilities(),
    async dryRun() {
      const { tests, mutantCoverage, ...result } = await runner.dryRun();
      const start = performance.now();
      const met = await simulation.readCoverage(seeds);
      const timeSpentMs = (performance.now() - start) / seeds.length;
      const inWorlds = seeds.map((seed) => [worldOf(seed), met[seed] ?? {}]);
      const perTest = { ...mutantCoverage.perTest, ...Object.fromEntries(inWorlds) };
      const asTests = inWorlds.map(([id]) => ({ id, name: id, timeSpentMs, status: 'success' }));
      return { ...result, tests: [...tests, ...asTests], mutantCoverage: { ...mutantCoverage, perTest } };
    },
    async mutantRun(options) {
      const result = await runner.mutantRun(options);
      const { activeMutant, testFilter } = options;
      const met = seeds.filter((seed) => testFilter?.includes(worldOf(seed)) ?? true);
      if (result.status !== 'survived' || met.length === 0) return result;
      const found = await simulation.findViolation(met, activeMutant.id);
      if (found === undefined) return { status: 'survived', nrOfTests: result.nrOfTests + met.length };
      const { seed, violation: failureMessage } = found;
      const nrOfTests = result.nrOfTests + met.indexOf(seed) + 1;
      return { status: 'killed', killedBy: [worldOf(seed)], failureMessage, nrOfTests };
    },
    dispose() {
      simulation.stop();
      return Promise.resolve();
    },
  };
}

/** The name of a world among the tests. */
export function worldOf(seed) {
  return `the world of seed ${seed}`;
}

/**
 * Runs the simulation with mutants, in a process whose time is virtual. Worlds with equal seeds are equal, so only those that
 * meet the mutated code need to run.
 */
class Simulation {
  #bundled;
  #child;

  /** The mutants that each of these worlds meets, by seed. */
  async readCoverage(seeds) {
    const { coverage, violation } = await this.#ask({ seeds });
    if (violation !== undefined) throw new Error(`a world fails without a mutant: ${violation}`);
    return coverage;
  }

  /** The first of these worlds that fails with a mutant: its seed and what it violates. Undefined if none fails. */
  async findViolation(seeds, mutant) {
    const { seed = seeds[0], violation } = await this.#ask({ seeds, mutant });
    // What a failed world has left behind must not disturb the next one.
    if (violation !== undefined) this.stop();
    return violation && { seed, violation };
  }

  stop() {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #ask(order) {
    await (this.#bundled ??= bundleWorlds());
    const child = this.#start();
    return new Promise((resolve) => {
      const onExit = (code, signal) => {
        this.#child = undefined;
        resolve({ violation: `the simulation ended with ${code ?? signal}` });
      };
      child.once('exit', onExit);
      child.once('message', (answer) => {
        child.off('exit', onExit);
        resolve(answer);
      });
      child.send(order);
    });
  }

  #start() {
    this.#child ??= fork(PROGRAM, { execArgv: OPTIONS, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    return this.#child;
  }
}

/** Stryker itself, which loads this file without tsx, bundles nothing. */
async function bundleWorlds() {
  const { bundle } = await import('../../test/simulation/runner/bundle.ts');
  await bundle({ entry: SOURCE }, PROGRAM);
}
