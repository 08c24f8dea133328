import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import { worldOf } from './simulation.mjs';

/**
 * Prints a row for each module: all changes, those that tests notice, those that worlds notice, those that survive
 * (docs/develop/mutants.csv has the sum of the last two columns), and those that no test and no world executes.
 */
function createSummary() {
  return {
    onMutationTestReportReady({ files, testFiles = {} }) {
      const tests = Object.values(testFiles).flatMap((file) => file.tests);
      const worlds = new Set(tests.filter(({ name }) => name.startsWith(worldOf(''))).map(({ id }) => id));
      for (const [file, { mutants }] of Object.entries(files)) {
        const counts = { tests: 0, worlds: 0, survived: 0, unmet: 0 };
        for (const { status, killedBy = [] } of mutants) {
          if (['Ignored', 'CompileError'].includes(status)) continue;
          if (status === 'NoCoverage') counts.unmet += 1;
          else if (status === 'Survived') counts.survived += 1;
          else if (killedBy.some((test) => worlds.has(test))) counts.worlds += 1;
          else counts.tests += 1;
        }
        const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
        const row = [`\`${file}\``, all, ...Object.values(counts)];
        process.stdout.write(`| ${row.join(' | ')} |\n`);
      }
    },
  };
}
createSummary.inject = [];

export const summaryPlugin = declareFactoryPlugin(PluginKind.Reporter, 'summary', createSummary);
