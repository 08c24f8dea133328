import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlagmeterError, type Log, type ReadyMessage } from '#base/runtime';
import { type ServiceName, forkService } from './fork-service.ts';
import type { LeaveMessage } from './peers.ts';

/**
 * A service in its own process, restarted when it dies. States:
 *
 *   starting -> ready | failed (it ended three times before it was ever ready)
 *   ready    -> starting (it ended: restarted after a pause) | stopped (it ended after `expectEnd`, `stop` or `leave`)
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
  /** As `stop`, but another process already listens on its ports. Only a standalone process understands this. */
  leave(): Promise<void>;
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

export type SuperviseOptions = {
  readonly service: ServiceName;
  /** Differs from `service` if several processes run the same service. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Called at once after each start. */
  readonly onStart: (child: ChildProcess) => void;
  /** Called after each start, when the service is ready. */
  readonly onReady: (message: ReadyMessage) => void;
};

/** Forks a service and restarts it whenever it dies. */
export function supervise({ service, name, env, log, onStart, onReady }: SuperviseOptions): Supervised {
  const ending = new AbortController();
  let child: ChildProcess | undefined;
  let announce: (message: ReadyMessage) => void = () => undefined;
  const announced = new Promise<ReadyMessage>((resolve) => {
    announce = resolve;
  });
  let wasReady = false;
  const finished = keepRunning({ name, log, ending: ending.signal, wasReady: () => wasReady }, () => {
    child = forkService(service, env);
    onStart(child);
    child.on('message', (message: ReadyMessage | object) => {
      if (!('state' in message)) return;
      wasReady = true;
      announce(message);
      onReady(message);
    });
    return child;
  });
  const send = (message: object): void => {
    if (child?.connected === true) child.send(message);
  };
  const end = async (ask: () => void): Promise<void> => {
    ending.abort();
    ask();
    const deadline = setTimeout(() => child?.kill('SIGKILL'), STOP_DEADLINE_MS);
    await finished;
    clearTimeout(deadline);
  };
  return {
    ready: untilReady(announced, finished, name),
    send,
    expectEnd() {
      ending.abort();
    },
    stop: () =>
      end(() => {
        child?.kill('SIGTERM');
      }),
    leave: () =>
      end(() => {
        send({ isReplaced: true } satisfies LeaveMessage);
      }),
  };
}

type Keeping = {
  readonly name: string;
  readonly log: Log;
  readonly ending: AbortSignal;
  readonly wasReady: () => boolean;
};

async function untilReady(
  announced: Promise<ReadyMessage>,
  finished: Promise<Ending>,
  name: string,
): Promise<ReadyMessage> {
  const first = await Promise.race([announced, finished]);
  if ('url' in first) return first;
  throw neverReady(name, first);
}

/** Restarts the service whenever it ends, until it should stop; returns how it ended. */
async function keepRunning(keeping: Keeping, start: () => ChildProcess): Promise<Ending> {
  const { name, log, ending, wasReady } = keeping;
  let pauseMs = FIRST_PAUSE_MS;
  for (let tries = 1; ; tries += 1) {
    const startedAt = Date.now();
    const child = start();
    log.info({ service: name, pid: child.pid }, 'service started');
    const end = await endOf(child, log);
    if (ending.aborted || (!wasReady() && tries === FIRST_TRIES)) return end;
    log.error({ service: name, ...end }, 'service died, starting it again');
    pauseMs = Date.now() - startedAt > STABLE_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    await pause(pauseMs, ending);
    if (isAborted(ending)) return end;
  }
}

type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

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

function neverReady(name: string, { code, signal }: Ending): FlagmeterError {
  const how = signal === null ? `with code ${code ?? 'unknown'}` : `by ${signal}`;
  const message = `The ${name} process ended ${how} and was never ready; its log says why.`;
  return new FlagmeterError('service-start', message);
}
