import path from 'node:path';
import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import fc from 'fast-check';
import Mocha from 'mocha';

/** Counterexamples are not shrunk, and properties that hold end early: neither says more about a mutant. */
fc.configureGlobal({ seed: 1, numRuns: 50, endOnFailure: true, interruptAfterTimeLimit: 500 });

/** For each test: a mutant may wait for something that never happens ... */
const TIMEOUT_MS = 5000;
/** ... or compute without end. In CPU time, so that a busy machine kills no mutant. */
const ENDLESS_CPU_MS = 3000;

/**
 * Runs the tests with mocha 12, which Stryker's own runner for Node 20 does not know. Each file is loaded when it is first
 * needed, and the tests of the mutated module run first: most mutants end there. ES modules are loaded once, so for a mutant in
 * code that runs at load Stryker starts a new process, and the mutant must be active by then.
 */
function createRunner({ mutants: { modules, tests: files, near } }) {
  globalThis.__stryker__ ??= {};
  const stryker = globalThis.__stryker__;
  const loaded = new Map();
  let hasWatch = false;
  const loadFile = async (file) => {
    if (!loaded.has(file)) loaded.set(file, await load(file, stryker));
    return loaded.get(file);
  };
  return {
    capabilities: () => ({ reloadEnvironment: false }),
    async dryRun() {
      // Only what runs while the modules themselves are loaded needs a new process for each mutant, and not what test files make of it
      // while they are loaded.
      for (const module of modules) await import(path.resolve(module));
      const atLoad = { ...stryker.mutantCoverage?.static };
      const tests = [];
      for (const file of files) {
        const start = performance.now();
        const [first, ...others] = await run(await loadFile(file), { file });
        const testsMs = others.reduce((sum, { timeSpentMs }) => sum + timeSpentMs, 0);
        // Loading belongs to the first test: Stryker adds what belongs to none to the time that each mutant is given.
        tests.push({ ...first, timeSpentMs: performance.now() - start - testsMs }, ...others);
      }
      return { status: 'complete', tests, mutantCoverage: { ...stryker.mutantCoverage, static: atLoad } };
    },
    async mutantRun({ activeMutant: { id, fileName }, mutantActivation, testFilter }) {
      hasWatch ||= endEndlessLoops(stryker);
      const isActiveAtLoad = mutantActivation === 'static';
      const module = path.basename(fileName, '.ts');
      const names = (near[module] ?? [module]).map((name) => `${name}.test.ts`);
      const nearFirst = [...files.filter((file) => names.includes(path.basename(file))), ...files];
      let nrOfTests = 0;
      for (const file of new Set(nearFirst)) {
        const titles = testFilter?.filter((test) => test.startsWith(file));
        if (titles?.length === 0) continue;
        stryker.activeMutant = isActiveAtLoad ? id : undefined;
        const mocha = await loadFile(file);
        stryker.activeMutant = id;
        const tests = await run(mocha, { file, titles, bail: true });
        nrOfTests += tests.length;
        const failed = tests.find(({ status }) => status === 'failed');
        if (failed !== undefined)
          return {
            status: 'killed',
            killedBy: [failed.id],
            failureMessage: failed.failureMessage,
            nrOfTests,
          };
      }
      return { status: 'survived', nrOfTests };
    },
  };
}
createRunner.inject = ['options'];

async function load(file, stryker) {
  const mocha = new Mocha({ reporter: function () {}, timeout: TIMEOUT_MS });
  mocha.cleanReferencesAfterRun(false);
  mocha.addFile(path.resolve(file));
  await mocha.loadFilesAsync();
  mocha.suite.beforeEach('name the test', function () {
    stryker.currentTestId = idOf(file, this.currentTest);
    stryker.endOfTestMs = cpuMs() + ENDLESS_CPU_MS;
  });
  return mocha;
}

/** Code with mutants counts what it covers: there an endless loop can be ended, where Stryker would start a new process. */
function endEndlessLoops(stryker) {
  stryker.mutantCoverage ??= { static: {}, perTest: {} };
  const { perTest } = stryker.mutantCoverage;
  let uses = 0;
  const get = () => {
    uses += 1;
    if (uses % 1000 === 0 && cpuMs() > stryker.endOfTestMs) throw new Error('an endless loop');
    return perTest;
  };
  Object.defineProperty(stryker.mutantCoverage, 'perTest', { get });
  return true;
}

function cpuMs() {
  return process.cpuUsage().user / 1000;
}

function idOf(file, test) {
  return `${file}: ${test?.fullTitle()}`;
}

/** Runs the tests of these titles, or all, until one fails or to the end. */
function run(mocha, { file, titles, bail = false }) {
  const chosen = titles && new Set(titles);
  mocha.options.grep = chosen && { test: (title) => chosen.has(`${file}: ${title}`) };
  mocha.suite.bail(bail);
  const tests = [];
  const add = (test, outcome) => {
    const id = idOf(file, test);
    tests.push({ id, name: id, timeSpentMs: test.duration ?? 0, ...outcome });
  };
  return new Promise((resolve) => {
    const runner = mocha.run(() => resolve(tests));
    runner.on('pass', (test) => add(test, { status: 'success' }));
    runner.on('fail', (test, error) => add(test, { status: 'failed', failureMessage: error.message }));
  });
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'mocha-12', createRunner)];
