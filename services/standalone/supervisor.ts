import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log, ReadyMessage } from '#runtime';

export type Supervised = {
  readonly name: string;
  readonly url: string;
  /** Process id of the incarnation that runs at the moment. */
  pid(): number | undefined;
  /** Asks it to finish, and waits. */
  stop(): Promise<void>;
};

/** A service that keeps dying is started again after a growing pause, and again at once when it has run for a while. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;
const STABLE_MS = 30_000;

export type SuperviseOptions = {
  readonly service: 'standalone' | 'worker';
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
};

/** Forks a service and starts it again whenever it dies; resolves when it is ready for the first time. */
export async function supervise({ service, env, log }: SuperviseOptions): Promise<Supervised> {
  const file = fileURLToPath(new URL(`../${service}/main${extname(import.meta.filename)}`, import.meta.url));
  let isStopping = false;
  let child: ChildProcess | undefined;
  let announce: (url: string) => void = () => undefined;
  const ready = new Promise<string>((resolve) => {
    announce = resolve;
  });

  const keepRunning = async (): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = Date.now();
      child = fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      child.on('message', (message: ReadyMessage) => {
        announce(message.url);
      });
      const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      if (isShuttingDown()) return;
      log.error({ service, code, signal }, 'service died, starting it again');
      pauseMs = Date.now() - startedAt > STABLE_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      await sleep(pauseMs);
      if (isShuttingDown()) return;
    }
  };
  const isShuttingDown = (): boolean => isStopping;
  const finished = keepRunning();
  // A service that ends with a wrong configuration would do so for ever.
  const url = await ready;
  return {
    name: service,
    url,
    pid: () => child?.pid,
    async stop() {
      isStopping = true;
      child?.kill('SIGTERM');
      await finished;
    },
  };
}
