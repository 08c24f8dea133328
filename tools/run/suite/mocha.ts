import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { endTree, setNiceness } from '../../stack/index.ts';
import { aborted } from '#tooling/stack';

/** `failures` is the output of the failed tests, empty if none failed. */
export type Outcome = { readonly passed: number; readonly failed: number; readonly failures: string };

export type Run = {
  readonly title: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run with everything that it started. */
  readonly interrupted: AbortSignal;
  /** Prints output at once, or at the end, so that the output of parallel runs stays readable. */
  readonly isLive?: boolean;
  /** Its niceness, if it should give way to what runs beside it. */
  readonly nice?: number;
};

export const REPORTER = path.join(import.meta.dirname, 'reporter.ts');

/** Runs mocha, prints its output and counts the tests. */
export async function runMocha(run: Run): Promise<Outcome> {
  const args = ['--reporter', REPORTER, ...run.args];
  const { code, output } = await show('node_modules/.bin/mocha', { ...run, args });
  const passed = Number(/(\d+) passing/.exec(output)?.[1] ?? 0);
  const failed = Number(/(\d+) failing/.exec(output)?.[1] ?? 0);
  if (failed > 0) return { passed, failed, failures: output.slice(output.search(/\d+ failing/)) };
  if (code === 0 && passed > 0) return { passed, failed, failures: '' };
  // A run without counts, or with an exit code but no failing test, counts as a failure.
  return {
    passed,
    failed: 1,
    failures: `${run.title} ended with exit code ${code} after ${passed} passed tests`,
  };
}

/** One line for each failed test, such as `the console > lists features`, from the output of mocha. */
export function titlesOf(failures: string): string[] {
  return [...failures.matchAll(/^ {2}\d+\) ([^]*?):$/gm)].map(([, title = '']) =>
    title.replace(/\n\s+/g, ' > '),
  );
}

/** Runs the static checks, which count as one test. */
export async function runChecks(
  targets: readonly string[],
  priority: Pick<Run, 'interrupted' | 'nice'>,
): Promise<Outcome> {
  const args = ['--no-print-directory', ...targets];
  const { code, output } = await show('make', { title: 'static checks', args, ...priority });
  return code === 0
    ? { passed: 1, failed: 0, failures: '' }
    : { passed: 0, failed: 1, failures: `static checks failed\n${output}` };
}

async function show(
  command: string,
  { title, args, env = {}, interrupted, isLive = false, nice }: Run,
): Promise<{ code: number | null; output: string }> {
  const startedAt = performance.now();
  if (isLive) console.log(`\n== ${title} ==`);
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    // A separate session: Ctrl-C reaches only this program. Tests that it ended could not be found with their engines.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (nice !== undefined && child.pid !== undefined) setNiceness(child.pid, nice);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (isLive) process.stdout.write(chunk);
      output += chunk.toString();
    });
  }
  const closed = once(child, 'close') as Promise<[number | null]>;
  await Promise.race([closed, aborted(interrupted)]);
  if (interrupted.aborted) await endTree(child.pid ?? 0);
  const [code] = await closed;
  if (!isLive) console.log(`\n== ${title} ==\n${output}`);
  console.log(`${title} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return { code, output };
}
