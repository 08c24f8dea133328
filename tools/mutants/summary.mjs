import { readFileSync, writeFileSync } from 'node:fs';
import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import { noteRun } from '../run/noted-runs.ts';
import { worldOf } from './simulation.mjs';

/**
 * Prints a row for each module: all changes, those that tests notice, those that worlds notice, those that survive,
 * and those that no test and no world executes. The sum of the last two goes to docs/develop/mutants.csv.
 */
function createSummary() {
  return {
    onMutationTestReportReady({ files, testFiles = {} }) {
      const tests = Object.values(testFiles).flatMap((file) => file.tests);
      const worlds = new Set(tests.filter(({ name }) => name.startsWith(worldOf(''))).map(({ id }) => id));
      const survivors = new Map();
      let changes = 0;
      for (const [file, { mutants }] of Object.entries(files)) {
        const counts = { tests: 0, worlds: 0, survived: 0, unmet: 0 };
        for (const { status, killedBy = [] } of mutants) {
          if (['Ignored', 'CompileError'].includes(status)) continue;
          if (status === 'NoCoverage') counts.unmet += 1;
          else if (status === 'Survived') counts.survived += 1;
          else if (killedBy.some((test) => worlds.has(test))) counts.worlds += 1;
          else counts.tests += 1;
        }
        const all = sum(Object.values(counts));
        changes += all;
        const row = [`\`${file}\``, all, ...Object.values(counts)];
        process.stdout.write(`| ${row.join(' | ')} |\n`);
        survivors.set(file, counts.survived + counts.unmet);
      }
      const { OF = '', WORLDS } = process.env;
      if (OF === '' && WORLDS === undefined)
        noteRun({ kind: 'mutants', changes, survivors: sum([...survivors.values()]) });
      const isOfWholeModules = !OF.includes(':');
      if (isOfWholeModules) record(survivors, WORLDS === undefined ? 'unit tests' : `${WORLDS} worlds`);
    },
  };
}

function sum(counts) {
  return counts.reduce((total, count) => total + count, 0);
}

/** Replaces the rows of these modules in the record of all. */
function record(survivors, by) {
  const file = 'docs/develop/mutants.csv';
  const [head, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const others = rows.filter((row) => !survivors.has(row.split(',', 1)[0]));
  const own = Array.from(survivors, ([module, count]) => `${module},${count},${by}`);
  writeFileSync(file, [head, ...[...others, ...own].toSorted((a, b) => a.localeCompare(b)), ''].join('\n'));
}

createSummary.inject = [];

export const summaryPlugin = declareFactoryPlugin(PluginKind.Reporter, 'summary', createSummary);
