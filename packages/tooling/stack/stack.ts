import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineLog, openLog } from './engines/engine-log.ts';
import type { EngineSettings } from './engines/engine-settings.ts';
import { removeDirectory } from './engines/postgres/postgres-user.ts';
import { withLock } from './install/lock.ts';
import { type Report, print } from './install/install-once.ts';
import { prepareEngines } from './prepare-engines.ts';
import { SOURCE_EXTENSION, filesOf, filesOfStack } from './layout.ts';
import { type StackAddresses, readAddresses, writeVariables } from './processes/addresses.ts';
import { inspectStack } from './processes/inspection.ts';
import { type StackPorts, choosePorts, findFreePorts, portList } from './processes/ports.ts';
import { stopRecorded } from './processes/processes.ts';
import { type SupervisorOptions, superviseUntilSignal } from './supervisor.ts';
import { StackError } from './stack-error.ts';

export type UpOptions = {
  readonly directory: string;
  /** Uses neither the default ports nor the variables that set ports. */
  readonly freePorts?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
  /** By default ClickHouse gives way to ingest on the same cores: counting can wait, relays cannot. */
  readonly clickhouseNice?: number;
  readonly engines?: EngineSettings;
  /** Replace those in stack.env if the stack is already up. A new stack writes the `localSettings` of its environment. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly report?: Report;
};

const CLICKHOUSE_NICE = 5;
/** Longer than any engine may take to start, so that the error is that of the engine. */
const upTimeoutMs = 300_000;
const supervisorStopTimeoutMs = 30_000;

/**
 * Starts the stack of that directory under a detached supervisor, unless it is already up, and returns its addresses.
 * Stops processes of an earlier run first and keeps its data.
 */
export async function upStack(options: UpOptions): Promise<StackAddresses> {
  const { directory, clickhouseNice = CLICKHOUSE_NICE, engines = {}, settings, report = print } = options;
  const { lock, environment } = filesOfStack(directory);
  return withLock(lock, async () => {
    const running = await findRunning(directory);
    if (running === undefined)
      return launchSupervisor({
        directory,
        ports: await prepareStart(options),
        clickhouseNice,
        engines,
        report,
      });
    report('the stack is already up');
    if (settings !== undefined) await writeVariables(environment, { ...running, ...settings });
    return running;
  });
}

/** Runs the stack of that directory in this process until SIGTERM or SIGINT, unless it is already up elsewhere. */
export async function runStack(options: UpOptions): Promise<void> {
  const { directory, clickhouseNice = CLICKHOUSE_NICE, engines = {}, report = print } = options;
  const ports = await withLock(filesOfStack(directory).lock, async () =>
    (await findRunning(directory)) === undefined ? prepareStart(options) : undefined,
  );
  if (ports === undefined) report('the stack is already up');
  else await superviseUntilSignal({ directory, ports, clickhouseNice, engines, report });
}

/** The steps of `up` before the first engine starts. Returns the ports. */
async function prepareStart(options: UpOptions): Promise<StackPorts> {
  const { directory, freePorts = false, environment = process.env, report = print } = options;
  if (await stopAll(directory)) report('stopped the processes of an earlier run');
  const ports = freePorts ? await findFreePorts() : await choosePorts(environment, report);
  await prepareEngines(report);
  return ports;
}

/** Stops whatever still runs of the stack of that directory. Returns whether anything was running. */
export async function downStack(directory: string): Promise<boolean> {
  return withLock(filesOfStack(directory).lock, () => stopAll(directory));
}

/** Stops all recorded engines in folders below this one, such as those of tests that could not stop them. */
export async function stopEnginesBelow(folder: string): Promise<void> {
  const inside = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const folders = inside.filter((entry) => entry.isDirectory() && !['data', 'logs'].includes(entry.name));
  for (const { name } of folders) {
    const place = path.join(folder, name);
    if (name === 'run') await stopRun(place);
    else await stopEnginesBelow(place);
  }
}

/** Stops the stack and deletes its data. */
export async function cleanStack(directory: string): Promise<void> {
  const { data, logs, run, passwords, lock } = filesOfStack(directory);
  await withLock(lock, async () => {
    await stopAll(directory);
    await removeDirectory(filesOf(directory, 'postgres').data);
    for (const forgotten of [data, logs, run, passwords])
      await rm(forgotten, { recursive: true, force: true });
  });
}

/** The addresses of the stack if it is up and healthy. Waits some time for an engine that is being restarted. */
async function findRunning(directory: string): Promise<StackAddresses | undefined> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const { supervisorPid, engines } = await inspectStack(directory);
    if (supervisorPid === undefined) return undefined;
    const addresses = await readAddresses(filesOfStack(directory).environment);
    if (addresses !== undefined && engines.every(({ isServing }) => isServing)) return addresses;
    if (Date.now() > deadline) return undefined;
    await sleep(200);
  }
}

async function stopAll(directory: string): Promise<boolean> {
  const { run, environment } = filesOfStack(directory);
  const hadSupervisor = await stopRecorded(filesOf(directory, 'supervisor').pid, supervisorStopTimeoutMs);
  const hadEngines = await stopRun(run);
  await rm(environment, { force: true });
  return hadSupervisor || hadEngines;
}

/** Stops the processes that the files of this folder name. */
async function stopRun(folder: string): Promise<boolean> {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.pid')) : [];
  const stopped = await Promise.all(files.map((file) => stopRecorded(path.join(folder, file))));
  return stopped.includes(true);
}

async function launchSupervisor(options: SupervisorOptions): Promise<StackAddresses> {
  const { directory, ports, clickhouseNice, engines, report } = options;
  const { log: logFile } = filesOf(directory, 'supervisor');
  const log = openLog(logFile);
  const program = path.join(import.meta.dirname, `supervisor-process${SOURCE_EXTENSION}`);
  const command = [
    ...(SOURCE_EXTENSION === '.ts' ? ['--import', 'tsx', '--conditions=flagmeter-source'] : []),
    program,
    path.resolve(directory),
    String(clickhouseNice),
    JSON.stringify(engines),
    ...portList(ports).map(String),
  ];
  // A separate session, so that Ctrl-C here does not reach it. It starts in the folder of the sources, so that tsx
  // is found.
  const child = spawn(process.execPath, command, {
    detached: true,
    cwd: import.meta.dirname,
    stdio: ['ignore', log.descriptor, log.descriptor],
  });
  log.close();
  child.unref();
  return waitForAddresses({ child, directory, log, report });
}

type Launched = {
  readonly child: ChildProcess;
  readonly directory: string;
  readonly log: EngineLog;
  readonly report: Report;
};

/** Prints the output of the supervisor until it has written the addresses, has failed or takes too long. */
async function waitForAddresses({ child, directory, log, report }: Launched): Promise<StackAddresses> {
  const deadline = Date.now() + upTimeoutMs;
  let reported = 0;
  for (;;) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const addresses = await readAddresses(filesOfStack(directory).environment);
    const [progress = '', failure] = log.read().split(/^failed: /m);
    const lines = progress.split('\n').slice(0, -1);
    for (const line of lines.slice(reported)) report(line.replace(/^\S+Z /, ''));
    reported = lines.length;
    if (addresses !== undefined) return addresses;
    if (hasEnded)
      throw new StackError('not-ready', failure?.trim() ?? `the supervisor ended:\n${log.lastLines(15)}`);
    if (Date.now() > deadline) {
      await stopAll(directory);
      throw new StackError(
        'deadline',
        `the stack is not up after ${upTimeoutMs / 1000} s:\n${log.lastLines(15)}`,
      );
    }
    await sleep(50);
  }
}
