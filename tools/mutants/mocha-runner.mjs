import path from 'node:path';
import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import fc from 'fast-check';
import Mocha from 'mocha';
import { invisiblePlugin } from './invisible.mjs';
import { withWorlds } from './simulation.mjs';
import { summaryPlugin } from './summary.mjs';

/** Counterexamples are not shrunk and properties end early, because neither shows more about a mutant. */
const plugins = [fc.interruptAfterTimeLimit(500)];
fc.configureGlobal({ seed: 1, numRuns: 50, endOnFailure: true, plugins });

/**
 * Limits of each test, because a mutant may wait for something that never happens, or work without end. They are in idle time and in
 * CPU time, so that a busy machine kills no mutant.
 */
const ENDLESS_IDLE_MS = 5000;
const ENDLESS_CPU_MS = 3000;

/**
 * Instead of Stryker's own runner, which loads all files first and limits tests by wall time only. Loads each file when it is
 * first needed. Runs the tests of the mutated module first, because most mutants fail there. ES modules are loaded
 * only once. So Stryker starts a new process for a mutant in code that runs at load, and activates the mutant first.
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
      // Only code that runs while the modules themselves are loaded needs a new process for each mutant. Calls from
      // test files at load do not count.
      for (const module of modules) await import(path.resolve(module));
      const atLoad = { ...stryker.mutantCoverage?.static };
      const tests = [];
      for (const file of files) {
        const start = performance.now();
        const [first, ...others] = await run(await loadFile(file), { file });
        const testsMs = others.reduce((sum, { timeSpentMs }) => sum + timeSpentMs, 0);
        // Loading counts as part of the first test. Stryker would add unassigned time to the time limit of each
        // mutant.
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

function createRunnerWithWorlds(options) {
  return withWorlds(createRunner(options), options.mutants.worlds);
}
createRunnerWithWorlds.inject = ['options'];

async function load(file, stryker) {
  const mocha = new Mocha({ reporter: function () {}, timeout: 0 });
  mocha.cleanReferencesAfterRun(false);
  mocha.addFile(path.resolve(file));
  await mocha.loadFilesAsync();
  mocha.suite.beforeEach('name the test', function () {
    stryker.currentTestId = idOf(file, this.currentTest);
    stryker.endOfTestMs = cpuMs() + ENDLESS_CPU_MS;
  });
  return mocha;
}

/**
 * Counts the coverage of mutated code. The counter can end an endless loop, for which Stryker would start a new
 * process.
 */
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

/** Runs the tests with these titles, or all tests, until one fails. */
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
    const runner = mocha.run(() => {
      clearInterval(watch);
      resolve(tests);
    });
    const watch = endEndlessTests(runner);
    runner.on('pass', (test) => {
      add(test, { status: 'success' });
    });
    runner.on('fail', (test, error) => {
      add(test, { status: 'failed', failureMessage: error.message });
    });
  });
}

/** Fails a test or hook in which the process works or idles for too long, as mocha does after its time limit. */
function endEndlessTests(runner) {
  let end;
  const begin = () => {
    end = { cpuMs: cpuMs() + ENDLESS_CPU_MS, idleMs: idleMs() + ENDLESS_IDLE_MS };
  };
  for (const event of ['hook', 'test']) runner.on(event, begin);
  begin();
  return setInterval(() => {
    if (cpuMs() < end.cpuMs && idleMs() < end.idleMs) return;
    end = { cpuMs: Infinity, idleMs: Infinity };
    const endless = runner.currentRunnable;
    endless.callback(new Error('an endless test'));
    endless.timedOut = true;
  }, 100);
}

function idleMs() {
  return performance.eventLoopUtilization().idle;
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'mocha-12', createRunner),
  declareFactoryPlugin(PluginKind.TestRunner, 'mocha-12-and-worlds', createRunnerWithWorlds),
  invisiblePlugin,
  summaryPlugin,
];
