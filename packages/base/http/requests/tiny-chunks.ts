import type { IncomingMessage } from 'node:http';

/** A chunk costs 2 to 4 us however short it is, so many of them must hold this many bytes on average. Senders write hundreds. */
const MANY = 1000;
const LEAST_BYTES = 16;

/** Whether a body comes in so many tiny chunks that it costs more than its bytes. */
export function areTiny(chunks: number, bytes: number): boolean {
  return chunks >= MANY && bytes < LEAST_BYTES * chunks;
}

/**
 * Cuts off a client whose body comes in tiny chunks, while somebody else reads it. It listens from the moment at which the reading begins,
 * because a listener of its own would begin the reading.
 */
export function cutTinyChunks(request: IncomingMessage): void {
  let chunks = 0;
  let bytes = 0;
  request.once('resume', () => {
    request.on('data', ({ length }: Buffer) => {
      chunks += 1;
      bytes += length;
      if (areTiny(chunks, bytes)) request.destroy();
    });
  });
}
