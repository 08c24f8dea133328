import type { World } from '../world.ts';

/** Something that happens to the log of the counts topic, once in a world. */
export type Incident = {
  /** What happened, with what the operator did. */
  readonly log: readonly string[];
  /** Faults and evaluations go on until then, epoch milliseconds, even if the world has had its steps. */
  lastsUntil?(): number;
  /** No incident begins any more. */
  end(): void;
  /** Whether a worker may end with an error of this code. An operator then acts as docs/operate/repair.md says. */
  explains(code: string): boolean;
  /** What must hold when the world is quiet again. */
  judge(): Iterable<string>;
};

/** Lets it happen at a random time. */
export type BeginIncident = (world: World, random: () => number) => Incident;
