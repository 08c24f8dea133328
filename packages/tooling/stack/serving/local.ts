import { rm } from 'node:fs/promises';
import path from 'node:path';
import { print } from '../install/install-once.ts';
import { filesOf } from '../layout.ts';
import { localSettings } from '../local-settings.ts';
import type { StackAddresses } from '../processes/addresses.ts';
import { inspectStack } from '../processes/inspection.ts';
import { downStack, upStack } from '../stack.ts';
import { announce, firstSteps } from './first-steps.ts';
import { launchFlagmeter } from './flagmeter-process.ts';
import { type LocalSecrets, readSecrets } from './local-secrets.ts';
import { aborted } from './terminal.ts';

/** A stack and flagmeter on it, for one person on this machine. */
export type Local = {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  /** The file of the command `flagmeter`. */
  readonly program: string;
  /** Whether the engines use any free ports instead of their default ports. */
  readonly freePorts: boolean;
  /** Printed with the first steps: what there is to look at. */
  readonly hint: string;
  /** Runs while the engines start. */
  readonly prepare?: () => Promise<unknown>;
  /** Runs with the settings of flagmeter once it is ready, before its address is printed. */
  readonly fill?: (env: NodeJS.ProcessEnv) => Promise<unknown>;
};

/** Runs until it is interrupted. Engines that ran before keep running afterwards. Returns whether they did. */
export async function serveLocally(local: Local, interrupted: AbortSignal): Promise<boolean> {
  const { directory, env, freePorts } = local;
  const tokens = await readSecrets(path.join(directory, 'tokens.env'), env);
  const wasUp = (await inspectStack(directory)).supervisorPid !== undefined;
  try {
    const [addresses] = await Promise.all([
      upStack({ directory, freePorts, environment: env, settings: localSettings(env) }),
      local.prepare?.(),
    ]);
    if (!interrupted.aborted) await serve(local, { addresses, tokens }, interrupted);
  } catch (error) {
    // Ctrl-C also interrupts the downloads.
    if (!interrupted.aborted) throw error;
  } finally {
    if (!wasUp) await downStack(directory);
  }
  return wasUp;
}

type Access = { readonly addresses: StackAddresses; readonly tokens: LocalSecrets };

async function serve(
  { directory, env, port, program, hint, fill }: Local,
  { addresses, tokens }: Access,
  interrupted: AbortSignal,
): Promise<void> {
  print('setting up tables and topics, starting the services ...');
  const settings = { ...env, ...localSettings(env), ...addresses, ...tokens, PORT: String(port) };
  const flagmeter = launchFlagmeter({ program, env: settings, logFile: filesOf(directory, 'flagmeter').log });
  const stepsFile = path.join(directory, 'first-steps.txt');
  try {
    const ready = await Promise.race([flagmeter.ready, aborted(interrupted)]);
    if (ready === undefined) return;
    await Promise.race([fill?.(settings), flagmeter.died, aborted(interrupted)]);
    if (interrupted.aborted) return;
    const steps = firstSteps({ ready, addresses, tokens, directory, env, hint });
    print(await announce(steps, { file: stepsFile, isTerminal: process.stdout.isTTY }));
    await Promise.race([flagmeter.died, aborted(interrupted)]);
  } finally {
    await rm(stepsFile, { force: true });
    await flagmeter.stop();
  }
}
