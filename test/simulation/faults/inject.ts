import { createRandom } from '#tooling/traffic';
import type { World } from '../world.ts';
import { ALL_FAULTS, FAULTS, type FaultName } from './faults.ts';
import { type Fault, nothing } from './ways.ts';

export type Injected = {
  /** What began, with the second of the simulation. */
  readonly begun: readonly string[];
  /** Ends the faults that last, and begins no other. */
  readonly end: () => void;
};

/** The longest mean pause between two faults. */
const MAX_PAUSE_MS = 15_000;

/**
 * Faults begin at random times. Their choice has its own randomness: a run without some kinds of faults begins all others at the same
 * times. So a failing run can be repeated with fewer kinds.
 */
export function injectFaults(world: World, seed: number, allowed: readonly FaultName[]): Injected {
  const { schedule, supervisor } = world;
  const random = createRandom(seed ^ 0x2545f491);
  const startedAt = schedule.now;
  const ends = new Map<FaultName, () => void>();
  const begun: string[] = [];
  const meanPauseMs = 1000 + random() * MAX_PAUSE_MS;
  // A few kinds meet each other more often than all of them.
  const kinds = ALL_FAULTS.filter(() => random() < 0.4);
  let isOver = false;

  const next = (): void => {
    schedule.after(supervisor, random() * 2 * meanPauseMs, {
      label: 'a fault begins',
      action: () => {
        if (isOver) return;
        const name = kinds[Math.floor(random() * kinds.length)];
        const lastsFor = random();
        if (name !== undefined && allowed.includes(name) && !ends.has(name)) begin(name, lastsFor);
        next();
      },
    });
  };
  const begin = (name: FaultName, lastsFor: number): void => {
    const fault: Fault = FAULTS[name];
    begun.push(`${((schedule.now - startedAt) / 1000).toFixed(1)} ${name}`);
    const end = fault.begin(world);
    if (end === nothing) return;
    ends.set(name, end);
    schedule.after(supervisor, lastsFor * fault.lastsMs, {
      label: `${name} ends`,
      action: () => {
        if (ends.get(name) !== end) return;
        ends.delete(name);
        end();
      },
    });
  };
  next();
  return {
    begun,
    end() {
      isOver = true;
      for (const end of ends.values()) end();
      ends.clear();
    },
  };
}
