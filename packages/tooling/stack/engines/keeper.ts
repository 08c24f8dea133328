import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../install/install-once.ts';
import { shownAddress } from '../processes/addresses.ts';
import type { Engine } from './engine.ts';

/**
 * Keeps one engine alive. States:
 *   starting  -> running (it is ready) | failed (the very first start did not work: `ready` rejects)
 *   running   -> starting (it died by itself, after a pause) | given up (five deaths within a minute) | stopped
 *   given up, failed, stopped: the end.
 */
export type Keeper = {
  /** Resolves when the first start has succeeded. */
  readonly ready: Promise<Engine>;
  stop(): Promise<void>;
};

const deathsAllowed = 5;
const deathWindowMs = 60_000;
const firstPauseMs = 200;

export function keepAlive(name: string, start: () => Promise<Engine>, report: Report): Keeper {
  const stopping = new AbortController();
  const ready = startTimed(name, start, report);
  const finished = keepRunning(ready, { name, start, report, stopping: stopping.signal });
  return {
    ready,
    stop: async () => {
      stopping.abort();
      await finished;
    },
  };
}

type Keeping = {
  readonly name: string;
  readonly start: () => Promise<Engine>;
  readonly report: Report;
  readonly stopping: AbortSignal;
};

/** If the first start fails, there is nothing to keep. Anyone who awaits `ready` gets the error. */
async function keepRunning(ready: Promise<Engine>, keeping: Keeping): Promise<void> {
  let first: Engine;
  try {
    first = await ready;
  } catch {
    return;
  }
  await restartUntilStopped(first, keeping);
}

async function restartUntilStopped(first: Engine, keeping: Keeping): Promise<void> {
  const { name, report, stopping } = keeping;
  let engine: Engine | undefined = first;
  let deaths: number[] = [];
  for (;;) {
    if (engine !== undefined) await Promise.race([engine.exited, aborted(stopping)]);
    if (stopping.aborted) break;
    const now = Date.now();
    deaths = [...deaths.filter((death) => now - death < deathWindowMs), now];
    if (deaths.length >= deathsAllowed) {
      report(`${name} died ${deaths.length} times within a minute; giving up on it`);
      return;
    }
    report(`${name} died; starting it again`);
    engine = await restartAfter(firstPauseMs * 2 ** (deaths.length - 1), keeping);
  }
  await engine?.stop();
}

/** The new engine, or undefined if that start failed or is no longer wanted. */
async function restartAfter(
  pauseMs: number,
  { name, start, report, stopping }: Keeping,
): Promise<Engine | undefined> {
  try {
    await sleep(pauseMs, undefined, { signal: stopping });
    return await startTimed(name, start, report);
  } catch (error) {
    if (!stopping.aborted) report(`${name} did not start: ${String(error)}`);
    return undefined;
  }
}

async function startTimed(name: string, start: () => Promise<Engine>, report: Report): Promise<Engine> {
  const startedAt = Date.now();
  const engine = await start();
  report(
    `${name} is ready at ${shownAddress(engine.address)} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  return engine;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
