import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { downStack, upStack } from '../stack/index.ts';
import { STORIES_VARIABLE, clearRows, renderTable } from './story-table.ts';

/**
 * The whole suite: static checks and unit tests, then what needs engines, on a stack of its own. `test.ts fault` runs
 * one kind. Ends with the line `N passed, N failed`; exit 1 if anything failed.
 */
const DIRECTORY = '.local/test';
const STORIES = path.resolve('.local/test-stories');
/**
 * Kinds that run together, and how many files of them side by side: tests on engines mostly wait, and each file has topics
 * and databases of its own. Stories start engines and processes, and hold them to deadlines, so fewer of them share two cores.
 */
const ON_ENGINES = [
  { kinds: ['fault'], jobs: 3 },
  { kinds: ['e2e', 'integration'], jobs: 4 },
] as const;

/** `failures` is what mocha says of the tests that failed, empty when none did. */
type Outcome = { passed: number; failed: number; failures: string };

/** Repeats what chance made of the fault suite. */
const seed = process.env['SEED'] ?? String(Date.now() % 1_000_000_000);

const only = process.argv[2];
const runs = ON_ENGINES.filter(({ kinds }) => only === undefined || kinds.some((kind) => kind === only));
if (runs.length === 0)
  throw new Error(`${only} is none of ${ON_ENGINES.flatMap(({ kinds }) => kinds).join(', ')}`);
const outcomes: Outcome[] = [];
if (only === undefined) outcomes.push(await check(), await mocha('unit tests', ['test/unit/**/*.test.ts']));
try {
  const addresses = await upStack({ directory: DIRECTORY, freePorts: true });
  clearRows(STORIES);
  const env = { ...addresses, [STORIES_VARIABLE]: STORIES, SEED: seed };
  for (const { kinds, jobs } of runs) {
    const files = kinds.map((kind) => `test/${kind}/**/*.test.ts`);
    const sideBySide = ['--parallel', '--jobs', String(jobs)];
    outcomes.push(await mocha(`${kinds.join(', ')} tests`, [...files, ...sideBySide], env));
  }
  console.log(`\n== stories (SEED=${seed}) ==\n${renderTable(STORIES)}\n`);
} finally {
  await downStack(DIRECTORY);
}
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
// Again at the very end, for of a long log people and CI machines read the tail.
for (const { failures } of outcomes) if (failures !== '') console.log(failures);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** Format, types, lint, walls and dead code count as one test. */
async function check(): Promise<Outcome> {
  heading('static checks');
  const { code } = await run('make', [
    '--no-print-directory',
    'format-check',
    'types',
    'lint',
    'walls',
    'dead-code',
  ]);
  return code === 0
    ? { passed: 1, failed: 0, failures: '' }
    : { passed: 0, failed: 1, failures: 'static checks failed' };
}

async function mocha(
  title: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  heading(title);
  const startedAt = Date.now();
  const { code, output } = await run('node_modules/.bin/mocha', args, env);
  console.log(`${title} took ${Math.round((Date.now() - startedAt) / 1000)} s`);
  const passed = Number(/(\d+) passing/.exec(output)?.[1] ?? 0);
  const failed = Number(/(\d+) failing/.exec(output)?.[1] ?? 0);
  if (failed > 0) return { passed, failed, failures: output.slice(output.search(/\d+ failing/)) };
  if (code === 0 && passed > 0) return { passed, failed, failures: '' };
  // A run that ended without counting, or badly without a failing test, has failed itself.
  return { passed, failed: 1, failures: `${title} ended with ${code} and counted ${passed} tests` };
}

function heading(text: string): void {
  console.log(`\n== ${text} ==`);
}

async function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    output += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
