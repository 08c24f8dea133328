import { setImmediate } from 'node:timers/promises';
import type { Steps } from '#core/counting';
import { Turns } from '#base/http';

/** A longer body is worked on in turns. A shorter one takes 5 ms at most, and most take a fraction of one. */
export const MAX_SHORT_BYTES = 16 * 1024;

/** What other requests wait for. A step that cannot be divided may take longer (docs/operate/watch/limits.md#cost-of-a-body). */
const PIECE_MS = 5;
/** One token takes a quarter. Those that wait are counted as requests and bytes in flight, too. */
const WAITING = { each: 200, all: 800 };
/** As long as senders of OpenTelemetry wait for an answer by default. */
const LONGEST_WAIT_MS = 10_000;

/** Work that may take long. Something, such as decoding, may be done in a thread before its first step. */
export type LongWork<Result> = () => Steps<Result> | Promise<Steps<Result>>;

/**
 * Works on long bodies, on one at a time because of the memory that it takes, and in pieces, between which the process serves other
 * requests. If bodies of several tokens wait, each token has one turn before any has a second.
 */
export class LongBodies {
  readonly #turns = new Turns({
    working: { each: 1, all: 1 },
    waiting: WAITING,
    longestWaitMs: LONGEST_WAIT_MS,
  });

  /** `begin` is called when it is the token's turn. Throws a 503 if that takes too long, and the reason of `unwanted` once it is aborted. */
  work<Result>(tokenId: string, begin: LongWork<Result>, unwanted: AbortSignal): Promise<Result> {
    return this.#turns.take(tokenId, () => doInPieces(begin, unwanted), unwanted);
  }
}

async function doInPieces<Result>(begin: LongWork<Result>, unwanted: AbortSignal): Promise<Result> {
  // The body before this one may have ended in this very turn of the event loop.
  await setImmediate();
  unwanted.throwIfAborted();
  const steps = await begin();
  unwanted.throwIfAborted();
  for (;;) {
    const result = doPiece(steps);
    if (result !== undefined) return result.value;
    await setImmediate();
    unwanted.throwIfAborted();
  }
}

/** Undefined if there is more to do. */
function doPiece<Result>(steps: Steps<Result>): { readonly value: Result } | undefined {
  const end = performance.now() + PIECE_MS;
  do {
    const step = steps.next();
    if (step.done === true) return { value: step.value };
  } while (performance.now() < end);
  return undefined;
}
