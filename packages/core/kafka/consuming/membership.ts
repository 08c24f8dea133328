/** Our work on a partition has ended. kafkajs reads `type` and joins the group again. */
export class LostPartition extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';

  constructor(options?: ErrorOptions) {
    super('the partition is no longer ours', options);
    this.name = 'LostPartition';
  }
}

/** From one join to the next loss. */
export type Generation = {
  /** Differs from all others of this process. */
  readonly number: number;
  /** Throws LostPartition once the generation has ended. */
  readonly check: () => void;
};

/**
 * Whether this process is a member of the group. The first LostPartition ends the generation for all partitions, and the next
 * join begins a new one. kafkajs alone does not ensure that: it looks only at the first error of its fetchers. So it may ignore
 * a LostPartition and pass on the same messages again without joining.
 */
export class Membership {
  #number = 0;
  #isJoined = false;

  isJoined(): boolean {
    return this.#isJoined;
  }

  join(): void {
    this.#number += 1;
    this.#isJoined = true;
  }

  leave(): void {
    this.#number += 1;
    this.#isJoined = false;
  }

  /** Does work within the current generation; rejects with LostPartition if there is none. */
  async during<T>(work: (generation: Generation) => Promise<T>): Promise<T> {
    if (!this.#isJoined) throw new LostPartition();
    const number = this.#number;
    const check = (): void => {
      if (number !== this.#number) throw new LostPartition();
    };
    try {
      return await work({ number, check });
    } catch (error) {
      if (error instanceof LostPartition && number === this.#number) this.leave();
      throw error;
    }
  }
}
