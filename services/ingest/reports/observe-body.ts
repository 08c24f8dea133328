import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES } from '../bodies/admission.ts';

export type ObserveOptions = {
  readonly limit: number;
  /** Returns false if there is no room for these bytes. */
  readonly reserve: (bytes: number) => boolean;
};

export type ObservedBody = {
  /** The whole body, read to its end even if no one else reads it; undefined if it is incomplete or has no room. */
  whole(deadlineMs: number): Promise<Buffer | 'too-large' | undefined>;
};

/**
 * Copies the body of a request that somebody else reads. It listens from the moment at which the reading begins, because a listener
 * of its own would begin the reading, and the other reader would miss what came before it.
 */
export function observeBody(request: IncomingMessage, { limit, reserve }: ObserveOptions): ObservedBody {
  const chunks: Buffer[] = [];
  let length = 0;
  let state: 'reading' | 'ended' | 'lost' = 'reading';
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit || !reserve(chunk.length + CHUNK_BYTES)) lose();
    else chunks.push(chunk);
  };
  const lose = (): void => {
    if (state === 'reading') state = 'lost';
    chunks.length = 0;
    request.off('data', onData);
  };
  request.once('resume', () => {
    if (state === 'reading') request.on('data', onData);
  });
  const ending = new Promise<void>((resolve) => {
    request.once('end', () => {
      if (state === 'reading') state = 'ended';
      resolve();
    });
    request.once('close', () => {
      if (state === 'reading') lose();
      resolve();
    });
  });
  return {
    async whole(deadlineMs) {
      if (state === 'reading') request.resume();
      await Promise.race([ending, sleep(deadlineMs, undefined, { ref: false })]);
      const body = state === 'ended' ? Buffer.concat(chunks) : undefined;
      lose();
      return length > limit ? 'too-large' : body;
    },
  };
}
