import { Readable } from 'node:stream';
import { type Job, type Log, inBackground, startJob } from '#base/runtime';
import type { Caller, Visible } from '#base/tokens';
import { createListenersRoom, tooMany } from './listeners-room.ts';

/** A listener that has so much still to read is dropped. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** Comments keep proxies from closing a silent connection. */
const COMMENT_MS = 15_000;
/** Each caller is identified again, from memory. So a stream ends soon after its token is revoked or expires, or the role changes. */
const CHECK_MS = 500;

export type Listener = {
  readonly caller: Caller;
  readonly visible: Visible;
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
  const room = createListenersRoom();
  const open = new Map<Readable, Listener>();
  const check = createCheck(open);
  let jobs: Job[] = [];
  let isEnding = false;

  const send = (text: string, isFor: (listener: Listener) => boolean = () => true): void => {
    for (const [stream, listener] of open) if (isFor(listener)) push(stream, text);
  };

  const leave = (stream: Readable, caller: Caller): void => {
    open.delete(stream);
    room.giveBack(caller);
    if (room.total() > 0) return;
    for (const job of jobs) inBackground(job.stop());
    onLast();
  };

  return {
    count: () => room.total(),

    /** Adds a listener; `greeting` is its first text. Throws a 429 if the caller has too many, and a 503 if all together have. */
    add(listener: Listener, greeting: string): Readable {
      const { caller } = listener;
      if (isEnding) throw tooMany();
      room.reserve(caller);
      const stream = new Readable({ read: () => undefined });
      stream.once('close', () => {
        leave(stream, caller);
      });
      open.set(stream, listener);
      push(stream, greeting);
      if (room.total() === 1) {
        jobs = startJobs({ send, check }, log);
        onFirst();
      }
      return stream;
    },

    send,

    /** Ends the streams of callers who may no longer listen. A job calls it regularly. */
    check,

    /** Ends all streams and admits no other. */
    end(): void {
      isEnding = true;
      for (const stream of open.keys()) finish(open, stream);
    },
  };
}

type Open = Map<Readable, Listener>;

function createCheck(open: Open): () => Promise<void> {
  const beingChecked = new Set<Readable>();
  const checkOne = async (stream: Readable, { isStillAllowed }: Listener): Promise<void> => {
    if (beingChecked.has(stream)) return;
    beingChecked.add(stream);
    const isAllowed = await isStillAllowed();
    beingChecked.delete(stream);
    if (!isAllowed && open.has(stream)) finish(open, stream);
  };
  return async () => {
    await Promise.all([...open].map(([stream, listener]) => checkOne(stream, listener)));
  };
}

type Tasks = { readonly send: (text: string) => void; readonly check: () => Promise<void> };

function startJobs({ send, check }: Tasks, log: Log): Job[] {
  return [
    startJob({ name: 'comments to live listeners', pauseMs: COMMENT_MS, log }, () => {
      send(': \n\n');
      return Promise.resolve();
    }),
    // Not awaited, because a look-up that takes long must not delay the checks of other listeners.
    startJob({ name: 'check of live listeners', pauseMs: CHECK_MS, log }, () => {
      inBackground(check());
      return Promise.resolve();
    }),
  ];
}

/** Ends a stream. One that still has something to read might never end, so it is cut off. */
function finish(open: Open, stream: Readable): void {
  open.delete(stream); // nothing may be pushed after the end
  if (stream.readableLength > 0) stream.destroy();
  else stream.push(null);
}

function push(stream: Readable, text: string): void {
  if (stream.readableLength > MAX_BUFFERED_BYTES) stream.destroy();
  else stream.push(text);
}
