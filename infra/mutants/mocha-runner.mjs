import path from 'node:path';
import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import Mocha from 'mocha';

/**
 * Runs the tests with mocha 12, which Stryker's own runner for Node 20 does not know. ES modules are loaded once, by the first
 * run: for a mutant in code that runs at load Stryker starts a new process, and it must be active by then.
 */
function createRunner(options) {
  globalThis.__stryker__ ??= {};
  const stryker = globalThis.__stryker__;
  let loaded;
  const load = async () => {
    const mocha = new Mocha({ reporter: function () {}, timeout: 60_000, cleanReferencesAfterRun: false });
    for (const file of options.mutants.tests) mocha.addFile(path.resolve(file));
    await mocha.loadFilesAsync();
    mocha.suite.beforeEach('name the test', function () {
      stryker.currentTestId = this.currentTest?.fullTitle();
    });
    return mocha;
  };
  return {
    capabilities: () => ({ reloadEnvironment: false }),
    async dryRun() {
      loaded ??= load();
      const tests = await run(await loaded);
      return { status: 'complete', tests, mutantCoverage: stryker.mutantCoverage };
    },
    async mutantRun({ activeMutant, testFilter }) {
      stryker.activeMutant = activeMutant.id;
      loaded ??= load();
      const tests = await run(await loaded, testFilter);
      const failed = tests.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return { status: 'survived', nrOfTests: tests.length };
      const [{ id, failureMessage }] = failed;
      return { status: 'killed', killedBy: [id], failureMessage, nrOfTests: tests.length };
    },
  };
}
createRunner.inject = ['options'];

/** Runs the tests of these titles, or all, until one fails. */
function run(mocha, titles) {
  const chosen = titles && new Set(titles);
  mocha.options.grep = chosen && { test: (title) => chosen.has(title) };
  mocha.suite.bail(chosen !== undefined);
  const tests = [];
  const add = (test, outcome) => {
    const id = test.fullTitle();
    tests.push({ id, name: id, timeSpentMs: test.duration ?? 0, ...outcome });
  };
  return new Promise((resolve) => {
    const runner = mocha.run(() => resolve(tests));
    runner.on('pass', (test) => add(test, { status: 'success' }));
    runner.on('fail', (test, error) => add(test, { status: 'failed', failureMessage: error.message }));
  });
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'mocha-12', createRunner)];
