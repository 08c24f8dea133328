/** Our work on a partition is over; kafkajs reads `type` and joins the group again. */
export class LostPartition extends Error {
  readonly type = 'REBALANCE_IN_PROGRESS';

  constructor(options?: ErrorOptions) {
    super('the partition is no longer ours', options);
    this.name = 'LostPartition';
  }
}

/** From one join to the next loss. */
export type Generation = {
  /** Unlike any other of this process. */
  readonly number: number;
  /** Throws LostPartition once it is over. */
  readonly check: () => void;
};

/**
 * Whether this process belongs to the group. Its generations end with the first LostPartition, for all partitions, and none
 * begins before the next join. kafkajs alone does not see to that: of the errors of its fetchers it heeds the first, so
 * that it may swallow a LostPartition and hand the same messages out again without having joined.
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

  /** Does work of the present generation; rejects with LostPartition where there is none. */
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
