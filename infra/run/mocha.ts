import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** `failures` is what is to be seen of the tests that failed, empty when none did. */
export type Outcome = { readonly passed: number; readonly failed: number; readonly failures: string };

export type Run = {
  readonly title: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Shows its output as it comes, else when it has ended, so that runs side by side stay readable. */
  readonly isLive?: boolean;
};

/** Runs mocha, shows what it prints, and counts. */
export async function runMocha(run: Run): Promise<Outcome> {
  const { code, output } = await show('node_modules/.bin/mocha', run);
  const passed = Number(/(\d+) passing/.exec(output)?.[1] ?? 0);
  const failed = Number(/(\d+) failing/.exec(output)?.[1] ?? 0);
  if (failed > 0) return { passed, failed, failures: output.slice(output.search(/\d+ failing/)) };
  if (code === 0 && passed > 0) return { passed, failed, failures: '' };
  // A run that ended without counting, or badly without a failing test, has failed itself.
  return { passed, failed: 1, failures: `${run.title} ended with ${code} and counted ${passed} tests` };
}

/** Runs the static checks, which count as one test, with what CPU the tests beside them leave. */
export async function runChecks(targets: readonly string[]): Promise<Outcome> {
  const args = ['-n', '10', 'make', '--no-print-directory', ...targets];
  const { code, output } = await show('nice', { title: 'static checks', args });
  return code === 0
    ? { passed: 1, failed: 0, failures: '' }
    : { passed: 0, failed: 1, failures: `static checks failed\n${output}` };
}

async function show(
  command: string,
  { title, args, env = {}, isLive = false }: Run,
): Promise<{ code: number | null; output: string }> {
  const startedAt = performance.now();
  if (isLive) console.log(`\n== ${title} ==`);
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (isLive) process.stdout.write(chunk);
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (!isLive) console.log(`\n== ${title} ==\n${output}`);
  console.log(`${title} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return { code, output };
}
