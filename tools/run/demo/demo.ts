// `make demo`: demo.ts [--directory .local/demo] [--seed 1]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cleanStack, downStack, freePort, upStack } from '../../stack/index.ts';
import { PROGRAM, ROOT } from '../compile.ts';
import { proveCounting } from './proof.ts';
import { aborted, createSecrets, launchFlagmeter, runAtTerminal } from '#tooling/stack';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: path.join(ROOT, '.local/demo') },
    seed: { type: 'string', default: '1' },
  },
});
const directory = path.resolve(values.directory);
const logs = path.join(directory, 'logs');
const startedAt = Date.now();

const NEXT_STEPS = `
The demo has ended, and its engines are stopped. Next steps:
  make start    runs flagmeter for your own clients, and prints a curl line that sends a batch and one that reads it back
  README.md     describes the views of ClickHouse with the numbers, and the other features`;

await runAtTerminal(logs, demo);

/** Runs on its own stack, which starts empty, so that every number can be compared. */
async function demo(interrupted: AbortSignal): Promise<number> {
  try {
    say('preparing an empty stack: Kafka, ClickHouse, Postgres ...');
    await cleanStack(directory);
    const addresses = await upStack({ directory, freePorts: true, report: say });
    const tokens = createSecrets();
    const env = { ...addresses, ...tokens, PORT: String(await freePort()) };
    if (!interrupted.aborted) await runFlagmeter(env, interrupted);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    say('stopping the stack ...');
    await downStack(directory);
  }
  if (interrupted.aborted) return 130;
  console.log(NEXT_STEPS);
  return 0;
}

async function runFlagmeter(env: Readonly<Record<string, string>>, interrupted: AbortSignal): Promise<void> {
  const over = new AbortController();
  const logFile = path.join(logs, 'flagmeter.log');
  say('setting up tables and topics, starting the standalone process and the worker ...');
  const flagmeter = launchFlagmeter({
    program: PROGRAM,
    env: { PATH: process.env['PATH'], ...env },
    logFile,
  });
  try {
    const ready = await Promise.race([flagmeter.ready, aborted(interrupted)]);
    if (ready === undefined) return;
    const { url } = ready;
    say(`flagmeter is ready at ${url}`);
    await Promise.race([
      proveCounting({ url, env, seed: Number(values.seed), say, signal: over.signal }),
      flagmeter.died,
      aborted(interrupted),
    ]);
  } finally {
    over.abort();
    say('stopping flagmeter ...');
    await flagmeter.stop();
  }
}

/** Prints a line of progress with the seconds since the start. */
function say(line: string): void {
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${seconds.padStart(6)} s  ${line}`);
}
