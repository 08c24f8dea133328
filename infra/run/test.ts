import path from 'node:path';
import { downStack, prepareUnleash, upStack } from '../stack/index.ts';
import { COMPILED, compile } from './compile.ts';
import { type Outcome, runChecks, runMocha } from './mocha.ts';
import { STORIES_VARIABLE, clearRows, renderTable } from './story-table.ts';
import { KINDS, filesToRun } from './test-files.ts';

/**
 * The whole suite: static checks and unit tests, then the tests that need engines, on a stack of its own. Side by side they would
 * share two cores, and the deadlines of tests would pass while others compute.
 * `test.ts KIND|FILE...` runs only some of the latter. Ends with the line `N passed, N failed`; exit 1 if anything failed.
 */
const DIRECTORY = '.local/test';
const STORIES = path.resolve('.local/test-stories');
/**
 * Files side by side, on two cores: tests mostly wait, and each file has topics and databases of its own. A story runs three services
 * or more under load and holds them to deadlines, and an attack holds answers to a second, so few of them share the machine.
 */
const GROUPS = [
  { title: 'fault, abuse tests', kinds: ['fault', 'abuse'], jobs: '2' },
  { title: 'e2e, integration tests', kinds: ['e2e', 'integration'], jobs: '3' },
  // One at a time: beside its other processes each of them runs an Unleash.
  { title: 'unleash tests', kinds: ['unleash'], jobs: '1' },
] as const;
const CHECKS = ['format-check', 'types', 'lint', 'walls', 'dead-code'];

/** Repeats what chance made of the fault suite. */
const seed = process.env['SEED'] ?? String(Date.now() % 1_000_000_000);

const startedAt = performance.now();
const only = process.argv.slice(2);
const files = filesToRun(only.length > 0 ? only : KINDS);
const withoutEngines = only.length > 0 ? [] : await testWithoutEngines();
const outcomes = [...withoutEngines, ...(await testOnEngines())];
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
// Again at the very end: of a long log people and CI machines read the tail.
for (const { failures } of outcomes) if (failures !== '') console.log(failures);
console.log(`all of it took ${Math.round((performance.now() - startedAt) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function testOnEngines(): Promise<Outcome[]> {
  try {
    const [addresses] = await Promise.all([upStack({ directory: DIRECTORY, freePorts: true }), compile()]);
    clearRows(STORIES);
    const env = { ...addresses, [STORIES_VARIABLE]: STORIES, FLAGMETER_COMPILED: COMPILED, SEED: seed };
    const ended = (await Promise.all(GROUPS.map((group) => runGroup(group, env)))).flat();
    console.log(`\n== stories (SEED=${seed}) ==\n${renderTable(STORIES)}\n`);
    return ended;
  } finally {
    await downStack(DIRECTORY);
  }
}

async function runGroup(
  { title, kinds, jobs }: (typeof GROUPS)[number],
  env: Readonly<Record<string, string>>,
): Promise<Outcome[]> {
  const ofGroup = files.filter((file) => kinds.some((kind) => file.startsWith(`test/${kind}/`)));
  if (ofGroup.length === 0) return [];
  try {
    // A minute on a new machine, beside the other groups.
    if (kinds.some((kind) => kind === 'unleash')) await prepareUnleash();
  } catch (error) {
    return [{ passed: 0, failed: 1, failures: `${title}: ${String(error)}` }];
  }
  return [await runMocha({ title, args: ['--parallel', '--jobs', jobs, ...ofGroup], env, isLive: true })];
}

function testWithoutEngines(): Promise<Outcome[]> {
  return Promise.all([
    runMocha({ title: 'unit tests', args: ['test/unit/**/*.test.ts'] }),
    runChecks(CHECKS),
  ]);
}
