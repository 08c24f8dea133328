/**
 * How many times longer than its body a message can be. Registrations grow the most: `{"appName":"a"},` of 16 bytes becomes 113
 * bytes, because absent fields get their defaults.
 */
const GROWTH = 8;
/** The head of a message, and the refusals that a batch may name, whatever its size. */
const FIXED_BYTES = 64 * 1024;

/** An upper bound for the messages that ingest makes of a body of this size. */
export function longestMessageBytes(bodyBytes: number): number {
  return GROWTH * bodyBytes + FIXED_BYTES;
}
