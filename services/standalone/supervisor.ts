import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FlagmeterError, type Log, type ReadyMessage } from '#runtime';

/**
 * A service in its own process, restarted when it dies. States:
 *
 *   starting -> ready | failed (it ended three times before it was ever ready)
 *   ready    -> starting (it ended: restarted after a pause) | stopped (it ended after `expectEnd` or `stop`)
 */
export type Supervised = {
  /** The address of the service, as soon as it is ready for the first time; rejects with `service-start` if it never is. */
  readonly ready: Promise<ReadyMessage>;
  /** Sends a message to the running process, if there is one. */
  send(message: object): void;
  /** From now on the process is not restarted when it ends: a signal to the process group may reach it before it reaches us. */
  expectEnd(): void;
  /** Asks the process to stop, and waits for it; kills it at the deadline. */
  stop(): Promise<void>;
};

/**
 * A service that keeps dying is restarted after a growing pause. The pause is short again after the service has run for a
 * while.
 */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
const STABLE_MS = 30_000;
/** A service that was never ready will not recover by restarts: the configuration is wrong, or its port is taken. */
const FIRST_TRIES = 3;
/** Longer than a drain takes, and shorter than the 25 s after which our own process gives up. */
const STOP_DEADLINE_MS = 22_000;
/** The worker and ingest share the cores of one machine. */
const WORKER_NICE = 5;

export type SuperviseOptions = {
  readonly service: 'standalone' | 'worker' | 'unleash';
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Called after each start, when the service is ready. */
  readonly onReady: (url: string) => void;
};

/** Forks a service and restarts it whenever it dies. */
export function supervise({ service, env, log, onReady }: SuperviseOptions): Supervised {
  const ending = new AbortController();
  let child: ChildProcess | undefined;
  let announce: (message: ReadyMessage) => void = () => undefined;
  const announced = new Promise<ReadyMessage>((resolve) => {
    announce = resolve;
  });
  let wasReady = false;
  const finished = keepRunning({ service, log, ending: ending.signal, wasReady: () => wasReady }, () => {
    child = forkService(service, env);
    child.on('message', (message: ReadyMessage) => {
      wasReady = true;
      announce(message);
      onReady(message.url);
    });
    return child;
  });
  return {
    ready: untilReady(announced, finished, service),
    send(message) {
      if (child?.connected === true) child.send(message);
    },
    expectEnd() {
      ending.abort();
    },
    async stop() {
      ending.abort();
      child?.kill('SIGTERM');
      const deadline = setTimeout(() => child?.kill('SIGKILL'), STOP_DEADLINE_MS);
      await finished;
      clearTimeout(deadline);
    },
  };
}

type Keeping = {
  readonly service: string;
  readonly log: Log;
  readonly ending: AbortSignal;
  readonly wasReady: () => boolean;
};

async function untilReady(
  announced: Promise<ReadyMessage>,
  finished: Promise<Ending>,
  service: SuperviseOptions['service'],
): Promise<ReadyMessage> {
  const first = await Promise.race([announced, finished]);
  if ('url' in first) return first;
  throw neverReady(service, first);
}

/** Restarts the service whenever it ends, until it should stop; returns how it ended. */
async function keepRunning(keeping: Keeping, start: () => ChildProcess): Promise<Ending> {
  const { service, log, ending, wasReady } = keeping;
  let pauseMs = FIRST_PAUSE_MS;
  for (let tries = 1; ; tries += 1) {
    const startedAt = Date.now();
    const child = start();
    log.info({ service, pid: child.pid }, 'service started');
    const end = await endOf(child, log);
    if (ending.aborted || (!wasReady() && tries === FIRST_TRIES)) return end;
    log.error({ service, ...end }, 'service died, starting it again');
    pauseMs = Date.now() - startedAt > STABLE_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    await pause(pauseMs, ending);
    if (isAborted(ending)) return end;
  }
}

type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

function forkService(service: SuperviseOptions['service'], env: NodeJS.ProcessEnv): ChildProcess {
  const file = fileURLToPath(new URL(`../${service}/main${extname(import.meta.filename)}`, import.meta.url));
  const child = fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  // Counting can wait, relays cannot. Only root may lower it.
  if (service === 'worker' && child.pid !== undefined)
    setPriority(child.pid, Math.max(WORKER_NICE, getPriority()));
  return child;
}

/**
 * Resolves when the process has ended. Never rejects. Node also emits 'error' for a signal or message that could not be sent;
 * only an error without a process id means that there is no process.
 */
function endOf(child: ChildProcess, log: Log): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    child.on('error', (err) => {
      log.error({ err, pid: child.pid }, 'service process error');
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** A function, because the compiler assumes that the property does not change between two checks. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function neverReady(service: SuperviseOptions['service'], { code, signal }: Ending): FlagmeterError {
  const how = signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`;
  const message = `The ${service} process ended ${how} and was never ready; its log says why.`;
  return new FlagmeterError('service-start', message);
}
