import { ConfigError } from '../errors.ts';
import { inBackground } from '../waiting/background.ts';
import type { Log } from '../log.ts';

/** Something that runs until it is stopped; `stop` completes the accepted work. */
export type Service = {
  /** The address where it listens. */
  readonly url: string;
  /** The address of the admin API, if it differs. */
  readonly adminUrl?: string | undefined;
  /** The address of this process alone, if it shares the others with further processes: health and metrics. */
  readonly ownUrl?: string | undefined;
  stop(): Promise<void>;
};

/** The message by which a forked service reports to its parent that it is ready. */
export type ReadyMessage = {
  readonly state: 'ready';
  readonly url: string;
  readonly adminUrl?: string | undefined;
  readonly ownUrl?: string | undefined;
};

const STOP_DEADLINE_MS = 25_000;

/**
 * Runs a service until SIGTERM, SIGINT or the end of its parent process; then stops it and exits. If the service cannot start,
 * does not stop in time or calls `fail`, the process exits with 1, so that its supervisor restarts it.
 */
export async function runService(log: Log, start: (fail: Fail) => Promise<Service>): Promise<void> {
  const fail: Fail = (error) => {
    report(log, error);
    process.exit(1);
  };
  process.on('unhandledRejection', fail);
  // A start may hang, because it waits for engines that ended together with the parent.
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
    const { url, adminUrl, ownUrl } = service;
    const ready: ReadyMessage = { state: 'ready', url, adminUrl, ownUrl };
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
