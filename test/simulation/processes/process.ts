import { type Log, inBackground } from '#base/runtime';
import { Engine } from '../network.ts';
import { freeze } from '../time/schedule.ts';
import type { Surroundings } from './surroundings.ts';

/** A part of flagmeter that runs in a process. */
export type Running = {
  /** Ends as on SIGTERM. */
  stop(): Promise<void>;
};

/** Starts production code as the present actor. `fail` ends the process, as in production. */
export type Start<T extends Running> = (fail: (error: unknown) => void) => T | Promise<T>;

/** The log of a process. */
export function createLog({ onLine }: Surroundings, name: string): Log {
  const write = (...line: unknown[]): void => {
    onLine?.(`${name} logs ${line.map((part) => JSON.stringify(part, describeErrors)).join(' ')}`);
  };
  const log = { info: write, warn: write, error: write, debug: () => undefined, child: () => log };
  return log as unknown as Log; // only what is used exists
}

function describeErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}

/**
 * A process with its supervisor, which starts it again after it ended for any reason. Production code runs only within its events.
 */
export class SimulatedProcess<T extends Running> {
  readonly server: Engine;
  /** What runs at present. */
  running: T | undefined;
  readonly #world: Surroundings;
  readonly #start: Start<T>;
  #isHeld = false;

  constructor(world: Surroundings, name: string, start: Start<T>) {
    this.#world = world;
    this.#start = start;
    this.server = new Engine(name, world.schedule, { hasPromises: true });
    this.#begin();
  }

  /** kill -9. */
  kill(): void {
    if (!this.server.isUp) return;
    this.running = undefined;
    this.server.kill();
    this.#startAgain();
  }

  /** SIGTERM: it finishes what it does. */
  terminate(): void {
    const { server, running } = this;
    if (!server.isUp || running === undefined) return;
    this.#world.schedule.after(server.actor, 0, {
      label: 'SIGTERM',
      action: () => {
        const end = async (): Promise<void> => {
          await running.stop();
          if (this.running === running) this.kill();
        };
        inBackground(end(), (error) => {
          this.#world.report(`${server.name} did not stop: ${String(error)}`);
        });
      },
    });
  }

  /** An operator stops it, until `release`. */
  hold(): void {
    this.#isHeld = true;
    this.terminate();
  }

  release(): void {
    this.#isHeld = false;
    this.#startAgain();
  }

  freeze(ms: number): void {
    freeze(this.server.actor, this.#world.schedule.now + ms);
  }

  #startAgain(): void {
    const { schedule, random } = this.#world;
    schedule.after(this.#world.supervisor, 200 + random() * 2000, {
      label: `start ${this.server.name}`,
      action: () => {
        if (this.#isHeld || this.server.isUp) return;
        this.server.start();
        this.#begin();
      },
    });
  }

  #begin(): void {
    const { actor } = this.server;
    const fail = (error: unknown): void => {
      this.#world.noteFailure(this.server.name, error);
      if (this.server.actor === actor) this.kill();
    };
    const begin = async (): Promise<void> => {
      try {
        this.running = await this.#start(fail);
      } catch (error) {
        fail(error);
      }
    };
    this.#world.schedule.after(actor, 0, {
      label: `${this.server.name} starts`,
      action: () => {
        inBackground(begin(), fail);
      },
    });
  }
}
