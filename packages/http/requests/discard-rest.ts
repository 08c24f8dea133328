import type { IncomingMessage } from 'node:http';

/** Up to here the rest of a body that was not wanted is read and thrown away. */
export const DISCARDED_BYTES = 1024 * 1024;

/**
 * Reads on after an answer that did not need the whole body. Left unread it would stall a client that writes everything
 * before it reads, and the next request of the connection; closing at once would reset the connection, and the answer
 * would be lost with it. A client that still goes on after `DISCARDED_BYTES` is cut off.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES) request.destroy();
  });
  request.resume();
}
