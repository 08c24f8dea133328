import type { World } from '../world.ts';
import type { BeginIncident, Incident } from './incident.ts';

/** What an incident does. `later` runs an action at a random time within so many milliseconds, unless the faults have ended. */
export type Course = {
  readonly random: () => number;
  readonly log: (text: string) => void;
  readonly later: (withinMs: number, action: () => void) => void;
  /** Runs an action now, and its end after this time, or when the faults end. */
  readonly during: (ms: number, action: () => () => void) => void;
  /** The world lasts so long from now on. */
  readonly last: (ms: number) => void;
};

/** An incident that begins within this time. No process may end because of it. */
export function timed(begin: (world: World, course: Course) => void, withinMs = 40_000): BeginIncident {
  return (world, random): Incident => {
    const { schedule, supervisor } = world;
    const log: string[] = [];
    const ends = new Set<() => void>();
    let isOver = false;
    let lastsUntil = 0;
    const after = (ms: number, action: () => void): void => {
      schedule.after(supervisor, ms, { label: 'an incident', action });
    };
    const later: Course['later'] = (ms, action) => {
      after(random() * ms, () => {
        if (!isOver) action();
      });
    };
    const during: Course['during'] = (ms, action) => {
      const end = action();
      ends.add(end);
      after(ms, () => {
        if (ends.delete(end)) end();
      });
    };
    later(withinMs, () => {
      begin(world, {
        random,
        later,
        during,
        log: (text) => log.push(text),
        last: (ms) => {
          lastsUntil = schedule.now + ms;
        },
      });
    });
    return {
      log,
      lastsUntil: () => lastsUntil,
      end() {
        isOver = true;
        for (const end of ends) end();
        ends.clear();
      },
      explains: () => false,
      judge: () => [],
    };
  };
}
