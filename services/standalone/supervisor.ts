import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FlagmeterError, type Log, type ReadyMessage } from '#runtime';

/**
 * A service in a process of its own, kept alive. States:
 *   starting -> ready | failed (it ended three times before it was ever ready)
 *   ready    -> starting (it ended: again after a pause) | stopped (it ended after `expectEnd` or `stop`)
 */
export type Supervised = {
  /** Where it listens, when it is ready for the first time; rejects with `service-start` when it never is. */
  readonly ready: Promise<ReadyMessage>;
  /** Sends a message to the process that runs at the moment, if one does. */
  send(message: object): void;
  /** From now on its end is no death: a signal to a whole process group may reach it before we do. */
  expectEnd(): void;
  /** Asks it to finish, and waits; kills it at the deadline. */
  stop(): Promise<void>;
};

/** A service that keeps dying is started again after a growing pause, and again at once when it has run for a while. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
const STABLE_MS = 30_000;
/** What was never ready will not become so by trying: a wrong configuration, a port that is taken. */
const FIRST_TRIES = 3;
/** Longer than a drain takes, and shorter than the 25 s after which our own process gives up. */
const STOP_DEADLINE_MS = 22_000;

export type SuperviseOptions = {
  readonly service: 'standalone' | 'worker' | 'unleash';
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Called at each start, when it is ready. */
  readonly onReady: (url: string) => void;
};

/** Forks a service and starts it again whenever it dies. */
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

/** Starts it again and again; gives how it ended for good. */
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
  return fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Never rejects: 'error' also comes of a signal or a message that could not be sent, and only without a process it is the end. */
function endOf(child: ChildProcess, log: Log): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    child.on('error', (err) => {
      log.error({ err, pid: child.pid }, 'service not reached');
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** A function, because the compiler takes the signal for unchanged between two looks. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function neverReady(service: SuperviseOptions['service'], { code, signal }: Ending): FlagmeterError {
  const how = signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`;
  const message = `The ${service} process ended ${how} and was never ready; its log says why.`;
  return new FlagmeterError('service-start', message);
}
