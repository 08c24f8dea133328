/** A line with a name. A line that has the name several times is one place, and a call if one of them is. */
export type CodePlace = {
  readonly name: string;
  /** From the root of the repository, with slashes. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** `call`: the name is an argument of an SDK; `mention`: anything else. */
  readonly kind: 'call' | 'mention';
  /** The line without surrounding space, shortened. It stays on this machine. */
  readonly text: string;
};
