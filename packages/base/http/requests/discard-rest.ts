import type { IncomingMessage } from 'node:http';

/** The maximum number of bytes of an unwanted body that are read and discarded. */
export const DISCARDED_BYTES = 1024 * 1024;

/**
 * Reads and discards the rest of a body after the answer. Without this, a client that writes everything before it reads would
 * block, as would the next request of the connection. To close at once would reset the connection and lose the answer. A client
 * that sends more than `DISCARDED_BYTES` is cut off.
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
