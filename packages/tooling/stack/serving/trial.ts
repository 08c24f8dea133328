import { existsSync } from 'node:fs';
import { rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { configSchema } from '#base/runtime';
import { installedPostgres } from '../engines/postgres/postgres-binaries.ts';
import { removeDirectory } from '../engines/postgres/postgres-user.ts';
import { print } from '../install/install-once.ts';
import { enginesDirectory, trialDirectory, userDirectory } from '../layout.ts';
import { forgetClaims } from '../processes/free-port.ts';
import { findRecorded, readCommandLine, recordProcess, stopRecorded } from '../processes/processes.ts';
import { runProgram } from '../processes/programs.ts';
import { StackError } from '../stack-error.ts';
import { cleanStack, downStack } from '../stack.ts';
import { serveLocally } from './local.ts';
import { findPort } from './port.ts';

/** Names the process that runs the trial. It is not in the folder `run`, whose processes the stack stops when it starts. */
const PID_FILE = path.join(trialDirectory, 'try.pid');
/** Exists once the shop was made. Whoever removes the shop does not get it again. */
const FILLED_FILE = path.join(trialDirectory, 'filled');
const STOP_MS = 90_000;
const FILL_MS = 300_000;

/** `flagmeter try`: everything for one person, with a made-up shop to look at, until it is interrupted. */
export async function runTrial(
  { env, program }: { readonly env: NodeJS.ProcessEnv; readonly program: string },
  interrupted: AbortSignal,
): Promise<void> {
  const other = await findOther();
  if (other !== undefined)
    throw new StackError(
      'running',
      `flagmeter try runs already: process ${other.pid}, in ${trialDirectory}. Press Ctrl-C there first.`,
    );
  const { pid } = process;
  await recordProcess(PID_FILE, {
    pid,
    mark: await readCommandLine(pid),
    stopSignal: 'SIGTERM',
    isReady: true,
  });
  try {
    const trial = {
      directory: trialDirectory,
      env: trialEnvironment(env),
      port: await findPort(env),
      program,
      freePorts: true,
      hint: 'It shows a made-up shop. What you send appears beside it.',
      fill: (settings: NodeJS.ProcessEnv) => fill(program, settings, interrupted),
    };
    await downStack(trialDirectory); // of a trial that was killed
    await serveLocally(trial, interrupted);
    print('stopped, engines included; flagmeter try --remove removes what is left on disk');
  } finally {
    await rm(PID_FILE, { force: true });
  }
}

/** The process of a trial that runs. In a container that was killed and starts again, we may have its process id. */
async function findOther(): ReturnType<typeof findRecorded> {
  const recorded = await findRecorded(PID_FILE);
  return recorded?.pid === process.pid ? undefined : recorded;
}

/** The settings that a trial takes from the shell. Others there are of another flagmeter, such as the addresses of its engines. */
const TAKEN = ['PORT', 'OPS_PORT', 'HTTP_HOST', 'LOG_LEVEL'];

export function trialEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isSetting = (name: string) => name in configSchema.properties;
  const taken = Object.entries(env).filter(
    ([name]) => TAKEN.includes(name) || !(isSetting(name) || isSetting(name.replace(/_FILE$/, ''))),
  );
  return Object.fromEntries(taken);
}

/** Once, in a separate process, which reads the settings of flagmeter. */
async function fill(program: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  if (existsSync(FILLED_FILE)) return;
  print('filling it with a made-up shop ...');
  const args = [...process.execArgv, program, 'sample', '--beside-real-data'];
  await runProgram(process.execPath, { args, env, signal, timeoutMs: FILL_MS, cwd: path.dirname(program) });
  await writeFile(FILLED_FILE, '');
}

/** Stops the trial, and deletes its data and the engines that it has installed. Engines of a checkout stay. */
export async function removeTrial(): Promise<void> {
  if ((await findOther()) !== undefined) await stopRecorded(PID_FILE, STOP_MS);
  await cleanStack(trialDirectory);
  await rm(trialDirectory, { recursive: true, force: true });
  if (path.dirname(enginesDirectory) === userDirectory) {
    await removeDirectory(installedPostgres);
    await rm(enginesDirectory, { recursive: true, force: true });
  }
  await rmdir(userDirectory).catch(() => undefined); // It may hold other things, or never have been there.
  await forgetClaims();
}
