import { ConfigError } from '../errors.ts';
import { inBackground } from '../waiting/background.ts';
import type { Log } from './log.ts';

/** Something that runs until it is stopped; `stop` finishes what was accepted. */
export type Service = {
  /** Where it listens. */
  readonly url: string;
  /** Where it serves the admin API, if not there. */
  readonly adminUrl?: string | undefined;
  stop(): Promise<void>;
};

/** What a forked service reports to its parent. */
export type ReadyMessage = {
  readonly state: 'ready';
  readonly url: string;
  readonly adminUrl?: string | undefined;
};

const STOP_DEADLINE_MS = 25_000;

/**
 * Runs a service until SIGTERM, SIGINT or the end of the parent that forked it, then stops it and exits. A service
 * that cannot start, fails to stop in time or calls `fail` ends the process with 1, for its supervisor to restart.
 */
export async function runService(log: Log, start: (fail: Fail) => Promise<Service>): Promise<void> {
  const fail: Fail = (error) => {
    report(log, error);
    process.exit(1);
  };
  process.on('unhandledRejection', fail);
  // A start may wait for engines that went away together with the parent.
  const endWithParent = (): never => process.exit(1);
  process.once('disconnect', endWithParent);
  try {
    const service = await start(fail);
    process.off('disconnect', endWithParent);
    const stop = once(() => {
      inBackground(stopAndExit(service, log, fail));
    });
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    process.on('disconnect', stop);
    const ready: ReadyMessage = { state: 'ready', url: service.url, adminUrl: service.adminUrl };
    process.send?.(ready);
  } catch (error) {
    fail(error);
  }
}

export type Fail = (error: unknown) => void;

function report(log: Log, error: unknown): void {
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
  else log.fatal({ err: error }, 'service failed');
}

async function stopAndExit(service: Service, log: Log, fail: Fail): Promise<void> {
  log.info('stopping');
  const deadline = setTimeout(() => {
    fail(new Error(`not stopped within ${STOP_DEADLINE_MS} ms`));
  }, STOP_DEADLINE_MS);
  try {
    await service.stop();
    clearTimeout(deadline);
    log.info('stopped');
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
