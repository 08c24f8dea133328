/**
 * Who an event belongs to: a process or an engine in one life. The events of an actor that was killed never happen; those of a
 * frozen one happen when it resumes.
 */
export type Actor = {
  readonly name: string;
  /** Whether its events run production code, whose promises must settle before the next event. */
  readonly hasPromises: boolean;
  isAlive: boolean;
  frozenUntil: number;
  /** Its requests that have no answer yet, and the most that there were at once. */
  waiting: number;
  mostWaiting: number;
  /** How far its clock is ahead of the true time. */
  clockAheadMs: number;
};

export type Scheduled = {
  at: number;
  readonly order: number;
  readonly actor: Actor;
  readonly label: string;
  /** The second part of the label. Texts that were joined for each event would have to be hashed again for each. */
  readonly detail: string;
  readonly action: () => void;
  isCancelled: boolean;
};

type Event = Pick<Scheduled, 'label' | 'action'> & { readonly detail?: string };

/** Runs what waits for `nextTick` and for promises, as Node does after each callback. Does nothing within a promise. */
export const settle = (process as unknown as { readonly _tickCallback: () => void })._tickCallback; // not in the types of Node
const realImmediate = globalThis.setImmediate;

/** Does work that takes steps, in a callback of Node instead of a promise. */
export function withSteps<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    realImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

export function createActor(name: string, { hasPromises = true, clockAheadMs = 0 } = {}): Actor {
  return { name, hasPromises, isAlive: true, frozenUntil: 0, waiting: 0, mostWaiting: 0, clockAheadMs };
}

/** Nothing happens to an actor until then; what was due happens in its order. */
export function freeze(actor: Actor, until: number): void {
  actor.frozenUntil = Math.max(actor.frozenUntil, until);
}

/**
 * The only source of time and order. Events happen one after the other, by their time, and those of the same time by the order in
 * which they were scheduled. So one seed gives one sequence of events, whose hash two runs compare.
 */
export class Schedule {
  /** True time in epoch milliseconds. */
  now: number;
  steps = 0;
  /** The actor of the present event. */
  current: Actor;
  /** Folds in each event. */
  hash = 0x811c9dc5;
  /** Sees each event before it happens. */
  onEvent: ((at: number, actor: string, label: string) => void) | undefined;
  readonly #heap: Scheduled[] = [];
  readonly #labels = new Map<string, number>();
  #order = 0;

  constructor(startMs: number) {
    this.now = startMs;
    this.current = createActor('nature', { hasPromises: false });
  }

  /** Lets something happen to an actor after a time. */
  after(actor: Actor, delayMs: number, { label, detail = '', action }: Event): Scheduled {
    this.#order += 1;
    const at = this.now + Math.max(0, delayMs);
    const scheduled = { at, order: this.#order, actor, label, detail, action, isCancelled: false };
    this.#push(scheduled);
    return scheduled;
  }

  /** The next event happens, and all promises settle. Returns false if there is none. For `withSteps`. */
  step(): boolean {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return false;
      const { actor } = event;
      if (event.isCancelled || !actor.isAlive) continue;
      if (actor.frozenUntil > event.at) {
        event.at = actor.frozenUntil;
        this.#push(event);
        continue;
      }
      this.now = Math.max(this.now, event.at);
      this.steps += 1;
      this.current = actor;
      this.#note(event);
      event.action();
      if (actor.hasPromises) settle();
      return true;
    }
  }

  #note({ at, actor, label, detail }: Scheduled): void {
    this.onEvent?.(at, actor.name, `${label} ${detail}`);
    this.#fold(Math.floor(at * 1000) | 0);
    this.#fold(this.#idOf(actor.name));
    this.#fold(this.#idOf(label));
    this.#fold(this.#idOf(detail));
  }

  #fold(value: number): void {
    this.hash = Math.imul(this.hash ^ value, 0x01000193) >>> 0;
    this.hash = (this.hash ^ (this.hash >>> 15)) >>> 0;
  }

  #idOf(text: string): number {
    const id = this.#labels.get(text) ?? this.#labels.size;
    this.#labels.set(text, id);
    return id;
  }

  #push(event: Scheduled): void {
    const heap = this.#heap;
    let child = heap.push(event) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = event;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      let smaller = left;
      if (right !== undefined && isBefore(right, left)) {
        smaller = right;
        child += 1;
      }
      if (isBefore(last, smaller)) break;
      heap[parent] = smaller;
      parent = child;
    }
    heap[parent] = last;
    return first;
  }
}

function isBefore(one: Scheduled, other: Scheduled): boolean {
  return one.at === other.at ? one.order < other.order : one.at < other.at;
}
