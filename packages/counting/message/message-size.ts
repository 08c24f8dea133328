/**
 * How much longer than its body a message of it can be. Registrations grow the most: `{"appName":"a"},` of 16 bytes becomes 113, with
 * what stands in for the fields that are absent.
 */
const GROWTH = 8;
/** The head of a message, and the refusals that a batch may name whatever its size. */
const FIXED_BYTES = 64 * 1024;

/** No message that ingest makes of a body of so many bytes is longer. */
export function longestMessageBytes(bodyBytes: number): number {
  return GROWTH * bodyBytes + FIXED_BYTES;
}
