import { Room } from '#base/runtime';

/** What happened of one kind since the last `take`. Times are epoch milliseconds. */
export type ProblemSum<Example> = {
  /** '' without a valid token. */
  readonly tokenId: string;
  readonly problem: string;
  /** The day (UTC) of the occurrences. */
  readonly day: string;
  readonly firstAt: number;
  /** Describes the first occurrence. */
  readonly example: Example;
  count: number;
  lastAt: number;
};

export type Occurrence = Pick<ProblemSum<unknown>, 'tokenId' | 'problem' | 'count'> & { readonly at: number };

/** Far more than the problems that exist. All requests without a valid token are one owner. */
const MAX_SUMS = { each: 100, all: 4000 };

const DAY_LENGTH = 'yyyy-mm-dd'.length;

/** Adds up what happened, by token, problem and day. It holds so many sums at most; occurrences of further ones are left out. */
export class ProblemSums<Example> {
  #room = new Room(MAX_SUMS);
  #sums = new Map<string, ProblemSum<Example>>();

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  /** `describe` is called only for the first of several equal ones. */
  add({ tokenId, problem, count, at }: Occurrence, describe: () => Example): void {
    const day = new Date(at).toISOString().slice(0, DAY_LENGTH);
    this.#add({ tokenId, problem, day, count, firstAt: at, lastAt: at }, describe);
  }

  /** Adds sums of another one. Their examples replace older ones. */
  merge(sums: readonly ProblemSum<Example>[]): void {
    for (const { example, ...sum } of sums) {
      const known = this.#sums.get(keyOf(sum));
      if (known === undefined) this.#add(sum, () => example);
      else this.#sums.set(keyOf(sum), { ...known, example, ...added(known, sum) });
    }
  }

  /** Returns all sums, and begins anew. */
  take(): ProblemSum<Example>[] {
    const sums = [...this.#sums.values()];
    this.#sums = new Map();
    this.#room = new Room(MAX_SUMS);
    return sums;
  }

  #add(sum: Omit<ProblemSum<Example>, 'example'>, describe: () => Example): void {
    const key = keyOf(sum);
    const known = this.#sums.get(key);
    if (known !== undefined) Object.assign(known, added(known, sum));
    else if (this.#room.reserve(sum.tokenId)) this.#sums.set(key, { ...sum, example: describe() });
  }
}

type Key = Pick<ProblemSum<unknown>, 'tokenId' | 'problem' | 'day'>;

function keyOf({ tokenId, problem, day }: Key): string {
  return `${day} ${problem} ${tokenId}`;
}

type Added = Pick<ProblemSum<unknown>, 'count' | 'lastAt'>;

function added(known: Added, sum: Added): Added {
  return { count: known.count + sum.count, lastAt: Math.max(known.lastAt, sum.lastAt) };
}
