/**
 * Generates the load of many relays: an open loop at a fixed rate, or a closed loop at maximum. No two bodies are equal.
 * Latency counts from the intended time. A ledger records the acknowledged sums, to compare them with the stored ones.
 */
export {
  type Origin,
  type Registration,
  type RelayApplication,
  toApplication,
  toOrigin,
  toTimestamp,
} from './edge-application.ts';
export { edgeHeaders } from './edge-headers.ts';
export type { LoadOptions, Progress } from './load/options.ts';
export type { LoadResult } from './load/result.ts';
export { runLoad } from './load/run-load.ts';
export { createRandom } from './random.ts';
