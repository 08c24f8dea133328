import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { TIMES_VARIABLE, usedSoFar, writeTime } from '../../tools/run/suite/report/file-times.ts';
import { takeDatabases } from './noted-databases.ts';
import { disposeOfRest, disposeOfShared } from './left-behind.ts';
import { isExpectedWarning } from './stack/processes/node-warnings.ts';
import { drainWrongEnds } from './stack/processes/watched-process.ts';
import { dismissWitnesses, hearWitnesses } from './stack/witnesses.ts';

/**
 * Hooks around every test of every suite (.mocharc.json). An unhandled rejection, a warning of Node, or a process under
 * test that ends by itself, fails the running test. Mocha ignores unhandled rejections and does not know forked processes. A failed test also says what
 * its pages and processes reported.
 */
export const mochaHooks: Mocha.RootHookObject = {
  beforeAll(this: Mocha.Context) {
    // Not at load, because a worker of `--parallel` removes all listeners after each file.
    process.on('unhandledRejection', hold);
    process.on('warning', holdWarning);
    const root = (this.test as Mocha.Hook).parent; // the runnable in whose context we are
    const recordTime = startRecording();
    for (const suite of lastSuites(root?.suites ?? [])) {
      suite.afterAll(disposeOfRest);
      suite.afterAll(() => {
        recordTime(suite.file ?? '');
      });
    }
  },
  async afterEach(this: Mocha.Context) {
    await addReports(this.currentTest);
    dismissWitnesses();
    const surprise = await drainSurprise();
    // Fails the test. An error thrown here would fail the hook and skip the other tests of the file.
    const hook = this.test as Mocha.Hook; // the runnable in whose context we are
    if (surprise !== undefined) hook.error(surprise);
  },
  async afterAll() {
    process.off('unhandledRejection', hold);
    process.off('warning', holdWarning);
    // Now, because mocha kills workers that take long to end.
    flushCompileCache();
    // Mocha itself ends the workers of `--parallel`.
    const isLast = process.env['MOCHA_WORKER_ID'] === undefined;
    if (isLast) await disposeOfShared();
    const surprise = await drainSurprise();
    if (surprise !== undefined) throw surprise;
    if (isLast) endBeforeLong();
  },
};

/** Below the stack of the error, which mocha prints when the file has ended. */
async function addReports(test: Mocha.Test | undefined): Promise<void> {
  const { err: error } = test ?? {};
  if (test?.state !== 'failed' || error === undefined) return;
  const reports = await hearWitnesses();
  if (reports !== '') error.stack = `${error.stack ?? error.message}\n\n${reports}`;
}

const ENDING_MS = 10_000;

/** Ends the process with an error if something that a test left behind, such as a timer, would keep it running. */
function endBeforeLong(): void {
  setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`The tests are over, but the process does not end: ${resources}\n`);
    // After mocha's own listener, which would set the number of failed tests.
    process.once('exit', () => {
      process.exitCode = 1;
    });
    process.exit();
  }, ENDING_MS).unref();
}

/** Records the time of each file, if the run names a directory for that. To read all processes takes 5 ms. */
function startRecording(): (file: string) => void {
  const directory = process.env[TIMES_VARIABLE];
  if (directory === undefined) return () => undefined;
  let before = usedSoFar();
  return (file) => {
    const now = usedSoFar();
    writeTime(directory, {
      file: path.relative('.', file),
      seconds: now.seconds - before.seconds,
      cpuSeconds: now.cpuSeconds - before.cpuSeconds,
      endedAt: Date.now() / 1000,
      databases: takeDatabases(),
    });
    before = now;
  };
}

/** The last suite of each file. One process runs many files if mocha has one job only. */
function lastSuites(suites: readonly Mocha.Suite[]): Iterable<Mocha.Suite> {
  return new Map(suites.map((suite) => [suite.file, suite])).values();
}

/** Keyed by promise, because mocha passes each rejection to its other listeners too, so that it arrives twice. */
const unhandled = new Map<Promise<unknown>, unknown>();

function hold(reason: unknown, promise: Promise<unknown>): void {
  unhandled.set(promise, reason);
}

let warnings: Error[] = [];

function holdWarning(warning: Error): void {
  if (!isExpectedWarning(`${warning.name}: ${warning.message}`))
    warnings.push(new Error(`warning of Node: ${warning.stack ?? warning.message}`));
}

/** All problems outside the tests themselves since the last call. */
async function drainSurprise(): Promise<Error | undefined> {
  const rejections = [...unhandled.values()].map((reason) => new Error(describe(reason), { cause: reason }));
  unhandled.clear();
  const warned = warnings;
  warnings = [];
  const [first, ...others] = [...rejections, ...warned, ...(await drainWrongEnds())];
  return others.length === 0 ? first : new Error([first, ...others].map(String).join('\n'));
}

function describe(reason: unknown): string {
  return `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`;
}
