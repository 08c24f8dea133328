// `make start`: start.ts [--directory .local]
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildConsole } from '../console/build.ts';
import { type StackAddresses, downStack, inspectStack, localSettings, upStack } from '../stack/index.ts';
import { ROOT } from './compile.ts';
import { announce, firstSteps } from './first-steps.ts';
import { launchFlagmeter } from './flagmeter-process.ts';
import { type LocalSecrets, readSecrets } from './local-secrets.ts';
import { choosePort } from './port.ts';
import { aborted, runProgram } from './run-program.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: path.join(ROOT, '.local') },
  },
});
const directory = path.resolve(values.directory);
const CONSOLE = path.join(ROOT, 'dist/console');
const logFile = path.join(directory, 'logs', 'flagmeter.log');
const stepsFile = path.join(directory, 'first-steps.txt');
const settings = localSettings(process.env);

await runProgram(path.join(directory, 'logs'), start);

/** Runs until it is interrupted. Engines that ran before keep running afterwards. */
async function start(interrupted: AbortSignal): Promise<number> {
  const port = await choosePort(process.env);
  const tokens = await readSecrets(path.join(directory, 'tokens.env'), process.env);
  const wasUp = (await inspectStack(directory)).supervisorPid !== undefined;
  try {
    // The services run from source and serve the console that make build also writes.
    const [addresses] = await Promise.all([upStack({ directory, settings }), buildConsole(CONSOLE)]);
    if (!interrupted.aborted) await serve({ addresses, tokens, port }, interrupted);
  } catch (error) {
    // Ctrl-C also interrupts the downloads.
    if (!interrupted.aborted) throw error;
  } finally {
    if (!wasUp) await downStack(directory);
  }
  console.log(
    wasUp
      ? 'stopped; the engines keep running, as before (make stack-down stops them)'
      : 'stopped, engines included',
  );
  return 0;
}

type Serving = {
  readonly addresses: StackAddresses;
  readonly tokens: LocalSecrets;
  readonly port: number;
};

async function serve({ addresses, tokens, port }: Serving, interrupted: AbortSignal): Promise<void> {
  console.log('setting up tables and topics, starting the services ...');
  const env = {
    ...process.env,
    ...settings,
    ...addresses,
    ...tokens,
    PORT: String(port),
  };
  const flagmeter = launchFlagmeter({ env, logFile });
  try {
    const ready = await Promise.race([flagmeter.ready, aborted(interrupted)]);
    if (ready === undefined) return;
    const steps = firstSteps({ ready, addresses, tokens, directory });
    console.log(await announce(steps, { file: stepsFile, isTerminal: process.stdout.isTTY }));
    await Promise.race([flagmeter.died, aborted(interrupted)]);
  } finally {
    await rm(stepsFile, { force: true });
    await flagmeter.stop();
  }
}
