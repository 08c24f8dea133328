/** A change of the production code that brings a known defect back, or breaks a rule of the protocol. */
export type Defect = {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Needs thousands of seeds, or was not found yet: docs/develop/simulation.md. */
  readonly isRare?: boolean;
};
