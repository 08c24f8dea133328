/** Says in a few lines what happened beside a test, such as the answers that a page got. */
export type Witness = {
  tell(): Promise<string>;
  /** Whether it has nothing to say of later tests. */
  isOver(): boolean;
};

const witnesses = new Set<Witness>();

/** If a test fails from now on, the report prints what this witness says below the error. */
export function addWitness(witness: Witness): void {
  witnesses.add(witness);
}

/** The lines of all witnesses, for a test that has failed. */
export async function hearWitnesses(): Promise<string> {
  const told = await Promise.all([...witnesses].map((witness) => witness.tell()));
  return told.filter((text) => text !== '').join('\n');
}

/** Before the next test. */
export function dismissWitnesses(): void {
  for (const witness of witnesses) if (witness.isOver()) witnesses.delete(witness);
}
