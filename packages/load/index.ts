/**
 * A load of batches, as many relays together send it: an open loop at a rate or a closed one at maximum, bodies of which
 * no two are equal, latency from the intended time, and a ledger of what was acknowledged, to compare with what is stored.
 */
export type { LoadOptions, Progress } from './options.ts';
export type { LoadResult } from './result.ts';
export { runLoad } from './run-load.ts';
