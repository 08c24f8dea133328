import { Readable } from 'node:stream';
import { HttpProblem } from '#http';
import { type Job, type Log, Room, inBackground, startJob } from '#runtime';
import type { Caller } from '#tokens';

/** The maximum number of listeners of one caller, and of all callers together. Further ones get 503. */
const MAX_LISTENERS = { each: 250, all: 1000 };
/** A listener that has so much still to read is dropped. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** Comments keep proxies from closing a silent connection. At the same time each caller is identified again. */
const CHECK_MS = 15_000;

export type Listener = {
  readonly caller: Caller;
  /** Whether the caller still has the permission. */
  readonly isStillAllowed: () => Promise<boolean>;
};

type ListenersOptions = {
  readonly log: Log;
  /** Called when the first listener comes, and when the last one has left. */
  readonly onFirst: () => void;
  readonly onLast: () => void;
};

/** The open streams of server-sent events. */
export function createListeners({ log, onFirst, onLast }: ListenersOptions) {
  const room = new Room(MAX_LISTENERS);
  const open = new Map<Readable, Listener>();
  let checking: Job | undefined;
  let isEnding = false;

  const leave = (stream: Readable, owner: string): void => {
    open.delete(stream);
    room.giveBack(owner);
    if (room.total > 0) return;
    inBackground(checking?.stop() ?? Promise.resolve());
    onLast();
  };

  /** Ends a stream. One that still has something to read might never end, so it is cut off. */
  const finish = (stream: Readable): void => {
    open.delete(stream); // nothing may be pushed after the end
    if (stream.readableLength > 0) stream.destroy();
    else stream.push(null);
  };

  const check = async (): Promise<void> => {
    const checks = [...open].map(async ([stream, { isStillAllowed }]) => {
      push(stream, ': \n\n');
      if (!(await isStillAllowed()) && open.has(stream)) finish(stream);
    });
    await Promise.all(checks);
  };

  return {
    count: () => room.total,

    /** Adds a listener; `greeting` is its first text. Throws a 503 if there are too many. */
    add(listener: Listener, greeting: string): Readable {
      const owner = `${listener.caller.userId} ${listener.caller.tokenId ?? ''}`;
      if (isEnding || !room.reserve(owner)) throw tooMany();
      const stream = new Readable({ read: () => undefined });
      stream.once('close', () => {
        leave(stream, owner);
      });
      open.set(stream, listener);
      push(stream, greeting);
      if (room.total === 1) {
        checking = startJob({ name: 'live listeners', pauseMs: CHECK_MS, log }, check);
        onFirst();
      }
      return stream;
    },

    send(text: string): void {
      for (const stream of open.keys()) push(stream, text);
    },

    /** Sends a comment to all, and ends the streams of callers who may no longer listen. A job calls it regularly. */
    check,

    /** Ends all streams and admits no other. */
    end(): void {
      isEnding = true;
      for (const stream of open.keys()) finish(stream);
    },
  };
}

function push(stream: Readable, text: string): void {
  if (stream.readableLength > MAX_BUFFERED_BYTES) stream.destroy();
  else stream.push(text);
}

function tooMany(): HttpProblem {
  return new HttpProblem(503, 'Too many listeners. Try again later.', { headers: { 'Retry-After': '15' } });
}
