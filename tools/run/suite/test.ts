import { rm } from 'node:fs/promises';
import path from 'node:path';
import { inBackground } from '#base/runtime';
import {
  type StackAddresses,
  canRunReplicas,
  downStack,
  inspectStack,
  prepareBrowser,
  preparePostgresClients,
  prepareUnleash,
  settingsOfTests,
  stopEnginesBelow,
  upWithRedis,
} from '../../stack/index.ts';
import { CODE_CACHE, COMPILED, compile } from '../compile.ts';
import { renderProfile } from './report/clickhouse-profile.ts';
import { keepInMemory } from './folder-in-memory.ts';
import { TIMES_VARIABLE, cpuSecondsOf, readTimes, renderTimes, usedSoFar } from './report/file-times.ts';
import { type Outcome, runChecks, runMocha, titlesOf } from './mocha.ts';
import { EMPTIED_VARIABLE } from './emptied.ts';
import { NIGHTLY_VARIABLE } from './nightly.ts';
import { runAtTerminal } from '#tooling/stack';
import { noteRun } from '../noted-runs.ts';
import { STORIES_VARIABLE, clearRows, readRows, renderTable } from './report/story-table.ts';
import { KINDS, type Kind, filesToRun } from './test-files.ts';

/**
 * The whole suite: unit tests while the engines of a separate stack start, then the tests that need them. If both ran at
 * once on two cores, deadlines of tests would pass. The simulation and the static checks have no deadlines, so they run
 * beside all others, on the cores that these leave idle. `test.ts KIND|FILE...` runs only the given tests with engines.
 * The last line is `N passed, N failed`; the exit code is 1 if anything failed. Ctrl-C ends it with everything that it
 * started.
 */
const DIRECTORY = '.local/test';
/** The folders of engines that belong to one test file. */
const OWN_ENGINES = '.local/test-engines';
const DATA = [`${DIRECTORY}/data`, OWN_ENGINES];
const STORIES = path.resolve('.local/test-stories');
const TIMES = path.resolve('.local/test-times');
const EMPTIED = path.resolve('.local/test-emptied');
/**
 * Number of files that run in parallel on two cores. Tests mostly wait, and each file has its own topics and
 * databases. Few stories run in parallel, because a story runs three or more services under load with deadlines. Few
 * attacks run in parallel, because an attack must get answers within a second. So the other files wait for them.
 * These are one group, so that no core is idle while any of them waits to start.
 */
const FIRST = { title: 'fault, abuse tests', kinds: ['fault', 'abuse'], jobs: '3' } as const;
const OTHERS = { title: 'other tests with engines', jobs: '5' };
/** Beside the others, in few processes, because each starts a browser and its tabs. */
const CONSOLE = { title: 'console tests', jobs: '2' };
const UNIT = { title: 'unit tests', jobs: '2' };
/** A third of the weight of the tests with engines. With 19 it never ends beside other programs that use all cores. */
const LOW_NICE = 5;
/** The path of the browser, for test/console. */
const BROWSER_VARIABLE = 'FLAGMETER_CHROMIUM';
/** Processes that load the same files share what they have compiled. */
const CACHED = { NODE_COMPILE_CACHE: CODE_CACHE };
const CHECKS = ['format-check', 'lint', 'walls', 'dead-code', 'alerts'];

/** Repeats the random choices of the run: those of its stories, and of the cases that it has by day. */
const seed = process.env['SEED'] ?? String(Date.now() % 1_000_000_000);

/** Prints at the end where the CPU of the shared ClickHouse went. */
const isProfiled = process.env['PROFILE'] === '1';

const only = process.argv.slice(2);
const files = filesToRun(only.length > 0 ? only : KINDS);
/** Whoever names a file wants all of its tests. */
const nightly = only.some((given) => given.endsWith('.ts')) ? { [NIGHTLY_VARIABLE]: 'yes' } : {};
/** Tests that this machine cannot run. */
const leftOut: string[] = [];

await runAtTerminal(`${DIRECTORY}/logs`, runSuite);

async function runSuite(interrupted: AbortSignal): Promise<number> {
  console.log(`SEED=${seed}`);
  const outcomes = await runTests(interrupted);
  if (interrupted.aborted) {
    console.log('stopped, engines included');
    return 130;
  }
  return summarize(outcomes);
}

/** Prints the failures again at the end, because people and CI machines read the tail of a long log. */
function summarize(outcomes: readonly Outcome[]): number {
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
  for (const { failures } of outcomes) if (failures !== '') console.log(failures);
  for (const title of outcomes.flatMap(({ failures }) => titlesOf(failures))) console.log(`failed: ${title}`);
  for (const reason of leftOut) console.log(reason);
  noteOutcome(passed, failed);
  const { seconds, cpuSeconds } = usedSoFar();
  console.log(`the run took ${Math.round(seconds)} s, and ${Math.round(cpuSeconds)} s of CPU`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/** For docs/proof.md: runs of everything, of the night and of the stories. */
function noteOutcome(passed: number, failed: number): void {
  if (only.length > 0 && process.env['NOTE_RUN'] !== '1') return;
  // One story shows that doubled rows are noticed.
  const stories = readRows(STORIES).filter(({ story }) => !story.startsWith('self-check'));
  const sumOf = (figure: 'acknowledged' | 'doubled' | 'lost'): number =>
    stories.reduce((sum, row) => sum + row[figure], 0);
  const sums = { acknowledged: sumOf('acknowledged'), doubled: sumOf('doubled'), lost: sumOf('lost') };
  noteRun({ kind: 'tests', seed, passed, failed, ...sums });
}

async function runTests(interrupted: AbortSignal): Promise<Outcome[]> {
  await stopEngines(); // of a run that was killed
  const removals = await Promise.all(DATA.map(keepInMemory));
  clearRows(STORIES);
  clearRows(TIMES);
  clearRows(EMPTIED);
  await rm(CODE_CACHE, { recursive: true, force: true }); // of earlier versions
  const reports = {
    [STORIES_VARIABLE]: STORIES,
    [TIMES_VARIABLE]: TIMES,
    [EMPTIED_VARIABLE]: EMPTIED,
    SEED: seed,
    ...CACHED,
  };
  const failure = new AbortController();
  const ended = AbortSignal.any([interrupted, failure.signal]);
  const unit = runUnitTests(ended);
  const beside = runWhenIdle(reports, ended);
  // Either may fail long before the other promises are settled.
  for (const tests of [unit, beside])
    inBackground(tests, () => {
      failure.abort();
    });
  try {
    const [addresses] = await Promise.all([
      upWithRedis({
        directory: DIRECTORY,
        freePorts: true,
        clickhouseNice: 0,
        engines: settingsOfTests({ logsQueries: isProfiled }),
      }),
      compile(),
      unit,
    ]);
    const env = { ...addresses, ...reports, ...nightly, FLAGMETER_COMPILED: COMPILED };
    const outcomes = await Promise.all([unit, beside, runGroups(env, ended)]);
    console.log(`\n== seconds of folders and of the dearest files ==\n${renderTimes(TIMES)}`);
    console.log(await timesOfEngines());
    if (isProfiled) console.log(await profileOf(addresses));
    console.log(`\n== stories (SEED=${seed}) ==\n${renderTable(STORIES)}\n`);
    return outcomes.flat();
  } catch (error) {
    failure.abort();
    await Promise.allSettled([unit, beside]);
    // Ctrl-C also interrupts the compiler and downloads.
    if (!interrupted.aborted) throw error;
    return [];
  } finally {
    await stopEngines();
    await Promise.all(removals.map((remove) => remove()));
  }
}

/** The CPU of the engines that all files share. */
async function timesOfEngines(): Promise<string> {
  const { supervisorPid, engines } = await inspectStack(DIRECTORY);
  const parts = engines.map(({ name, pid }) => `${name} ${Math.round(cpuSecondsOf(pid))} s`);
  const sum = Math.round(cpuSecondsOf(supervisorPid));
  return `${sum} s of CPU in the engines that all files share: ${parts.join(', ')}`;
}

/** Or why there is none: the results of the tests must be printed anyway. */
async function profileOf(addresses: StackAddresses): Promise<string> {
  const { engines } = await inspectStack(DIRECTORY);
  const cpuSeconds = cpuSecondsOf(engines.find(({ name }) => name === 'clickhouse')?.pid);
  const profile = await renderProfile(addresses, { cpuSeconds, times: readTimes(TIMES) }).catch(String);
  return `\n== CPU of the shared ClickHouse by kind of statement, test file and statement ==\n${profile}`;
}

/** Also those of test files that could not stop them. */
async function stopEngines(): Promise<void> {
  await downStack(DIRECTORY);
  await stopEnginesBelow(OWN_ENGINES);
}

type Env = Readonly<Record<string, string>>;

async function runGroups(env: Env, interrupted: AbortSignal): Promise<Outcome[]> {
  if (interrupted.aborted) return []; // during the unit tests: no need to install anything
  const [first, prepared] = await Promise.all([
    runGroup(FIRST, { files: FIRST.kinds.flatMap(filesOf), env, interrupted }),
    prepare(withoutImpossible(files.filter((file) => !FIRST.kinds.some((kind) => isOf(kind, file))))),
  ]);
  const rest = { env: { ...env, ...prepared.env }, interrupted };
  const isOfConsole = (file: string): boolean => isOf('console', file);
  const outcomes = await Promise.all([
    runGroup(OTHERS, { ...rest, files: prepared.files.filter((file) => !isOfConsole(file)) }),
    runGroup(CONSOLE, { ...rest, files: prepared.files.filter(isOfConsole) }),
  ]);
  return [...first, ...outcomes.flat()];
}

/** One after the other. */
async function runWhenIdle(env: Env, interrupted: AbortSignal): Promise<Outcome[]> {
  if (only.length > 0) return [];
  const simulation = { title: 'simulation', args: ['test/simulation/**/*.test.ts'], env };
  const outcomes: Outcome[] = [];
  for (const run of [
    () => runMocha({ ...simulation, interrupted, nice: LOW_NICE }),
    () => runChecks(CHECKS, { interrupted, nice: LOW_NICE }),
  ])
    if (!interrupted.aborted) outcomes.push(await run());
  return outcomes;
}

type GroupRun = {
  readonly files: readonly string[];
  readonly env: Env;
  readonly interrupted: AbortSignal;
};

async function runGroup(
  { title, jobs }: { readonly title: string; readonly jobs: string },
  { files: ofGroup, env, interrupted }: GroupRun,
): Promise<Outcome[]> {
  if (ofGroup.length === 0 || interrupted.aborted) return [];
  const args = ['--parallel', '--jobs', jobs, ...ofGroup];
  return [await runMocha({ title, args, env, interrupted, isLive: true })];
}

type Prepared = { readonly files: readonly string[]; readonly env: Env };

/** Installs what the files need besides the stack: a minute on a new machine, while the first group already runs. */
async function prepare(given: readonly string[]): Promise<Prepared> {
  if (given.some((file) => isOf('unleash', file))) await prepareUnleash().catch(() => undefined); // its tests fail
  // Without them only the tests of backups fail.
  const PATH = await preparePostgresClients().catch(() => process.env['PATH'] ?? '');
  if (!given.some((file) => isOf('console', file))) return { files: given, env: { PATH } };
  try {
    return { files: given, env: { PATH, [BROWSER_VARIABLE]: await prepareBrowser() } };
  } catch (error) {
    leftOut.push(`test/console was left out: ${String(error)}`);
    return { files: given.filter((file) => !isOf('console', file)), env: { PATH } };
  }
}

/** Without the tests of clusters if this machine cannot run replicas. */
function withoutImpossible(given: readonly string[]): readonly string[] {
  if (canRunReplicas() || !given.some((file) => isOf('cluster', file))) return given;
  leftOut.push('test/cluster was left out: ClickHouse replicas run only on Linux with x64 here.');
  return given.filter((file) => !isOf('cluster', file));
}

function filesOf(kind: Kind): string[] {
  return files.filter((file) => isOf(kind, file));
}

function isOf(kind: Kind, file: string): boolean {
  return file.startsWith(`test/${kind}/`);
}

async function runUnitTests(interrupted: AbortSignal): Promise<Outcome[]> {
  if (only.length > 0) return [];
  return runGroup(UNIT, { files: ['test/unit/**/*.test.ts'], env: CACHED, interrupted });
}
