import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Schedule, Scheduled } from './schedule.ts';

/**
 * Gives production code the clock, the timers and the randomness of a simulation, by replacing what Node offers. The code itself
 * is unchanged: `import { setTimeout } from 'node:timers/promises'` gets the function of this file. For a process that runs
 * nothing but simulations.
 */
let schedule: Schedule | undefined;
let random: () => number = Math.random;

/** From now on time and randomness come from this simulation. */
export function enterSimulation(entered: Schedule, seeded: () => number): void {
  schedule = entered;
  random = seeded;
}

function current(): Schedule {
  if (schedule === undefined) throw new Error('no simulation has begun');
  return schedule;
}

/** A timer as Node returns it. */
class VirtualTimer {
  readonly #scheduled: Scheduled | undefined;
  cancel: () => void = () => undefined;

  constructor(scheduled?: Scheduled) {
    this.#scheduled = scheduled;
    if (scheduled !== undefined)
      this.cancel = () => {
        scheduled.isCancelled = true;
      };
  }

  get isScheduled(): boolean {
    return this.#scheduled?.isCancelled === false;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

type Callback = (...args: unknown[]) => void;

function virtualTimeout(callback: Callback, delayMs = 0, ...args: unknown[]): VirtualTimer {
  const { current: actor } = current();
  const action = (): void => {
    callback(...args);
  };
  return new VirtualTimer(current().after(actor, delayMs, { label: 'timer', action }));
}

function virtualInterval(callback: Callback, delayMs = 0, ...args: unknown[]): VirtualTimer {
  const { current: actor } = current();
  const timer = new VirtualTimer();
  const repeat = (): void => {
    const action = (): void => {
      repeat();
      callback(...args);
    };
    const scheduled = current().after(actor, delayMs, { label: 'interval', action });
    timer.cancel = () => {
      scheduled.isCancelled = true;
    };
  };
  repeat();
  return timer;
}

function cancel(timer: unknown): void {
  if (timer instanceof VirtualTimer) timer.cancel();
}

type SleepOptions = { readonly signal?: AbortSignal; readonly ref?: boolean };

function sleep(delayMs = 0, value?: unknown, { signal }: SleepOptions = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel(timer);
      reject(new DOMException('The operation was aborted', 'AbortError'));
    };
    const timer = virtualTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, delayMs);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function virtualUuid(): string {
  const digits = Array.from({ length: 4 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return [8, 12, 16, 20, 32].map((end, index) => digits.slice([0, 8, 12, 16, 20][index], end)).join('-');
}

function abortAfter(delayMs: number): AbortSignal {
  const controller = new AbortController();
  virtualTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, delayMs);
  return controller.signal;
}

/** Replaces them for the rest of the process. */
export function installVirtualTime(): void {
  const require = createRequire(import.meta.url);
  const immediate = (callback: Callback, ...args: unknown[]): VirtualTimer =>
    virtualTimeout(callback, 0, ...args);
  Object.assign(globalThis, {
    setTimeout: virtualTimeout,
    clearTimeout: cancel,
    setInterval: virtualInterval,
    clearInterval: cancel,
    setImmediate: immediate,
    clearImmediate: cancel,
  });
  Object.assign(require('node:timers/promises'), { setTimeout: sleep, setImmediate: () => sleep(0) });
  Object.assign(require('node:crypto'), { randomUUID: virtualUuid });
  syncBuiltinESMExports();
  Object.assign(AbortSignal, { timeout: abortAfter });
  Object.assign(Math, { random: () => random() });
  const startedAt = Date.now();
  const clock = (): number => current().now + current().current.clockAheadMs;
  Object.assign(Date, { now: () => Math.floor(clock()) });
  Object.assign(performance, { now: () => current().now - startedAt });
}
