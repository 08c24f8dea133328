/** The seeds that one process runs: `first`, `first + stride`, ... below `end`. */
export type Slice = {
  readonly first: number;
  readonly end: number;
  readonly stride: number;
  readonly steps: number;
  /** Names of kinds of faults; by default all. */
  readonly faults?: readonly string[] | undefined;
  /** Every so many seeds one is run twice, and both runs must be equal. 0 for none. */
  readonly repeatEvery: number;
  /** Ends with the first failure, and does not shrink it. */
  readonly stopsAtFirst: boolean;
  /** Prints each event and each line of a log. */
  readonly isTraced?: boolean;
};

export type Failure = {
  readonly seed: number;
  readonly violations: readonly string[];
  /** The faults of the run. */
  readonly begun: readonly string[];
  /** Of the shrunk run. */
  readonly steps?: number | undefined;
  readonly kinds?: readonly string[] | undefined;
};

/** A run that has ended. Equal runs have equal hashes of their events. */
export type Run = { readonly steps: number; readonly hash: number };

export type Told = ({ readonly kind: 'run' } & Run) | ({ readonly kind: 'failure' } & Failure);
