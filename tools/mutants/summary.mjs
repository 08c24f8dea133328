import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import { worldOf } from './simulation.mjs';

/** Prints a row for the tables of docs/develop/mutants.md for each module. */
function createSummary() {
  return {
    onMutationTestReportReady({ files }) {
      for (const [file, { mutants }] of Object.entries(files)) {
        const tested = mutants.filter(({ status }) => !['Ignored', 'CompileError'].includes(status));
        const survived = tested.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status));
        const simulated = tested.filter(({ killedBy }) => killedBy?.some((id) => id.startsWith(worldOf(''))));
        const byTests = tested.length - survived.length - simulated.length;
        const row = [`\`${file}\``, tested.length, byTests, simulated.length, survived.length];
        process.stdout.write(`| ${row.join(' | ')} |\n`);
      }
    },
  };
}
createSummary.inject = [];

export const summaryPlugin = declareFactoryPlugin(PluginKind.Reporter, 'summary', createSummary);
