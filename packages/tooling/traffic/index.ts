/**
 * Generates the load of many relays: an open loop at a fixed rate, or a closed loop at maximum. No two bodies are equal.
 * Latency counts from the intended time. A ledger records the acknowledged sums, to compare them with the stored ones.
 *
 * `relay/` simulates one relay: it collects evaluations of SDKs and pushes them as Unleash Edge 20.1 does, including its
 * retries and losses (docs/develop/unleash.md#pushes-of-edge and the three sections after it). Its ledger records the outcome of
 * each request, so that tests can compare it with all stored rows. Unlike Edge it loses nothing while it pushes two
 * environments.
 */
export type { LoadOptions, Progress } from './load/options.ts';
export type { LoadResult } from './load/result.ts';
export { runLoad } from './load/run-load.ts';
export { failuresAfter, pushResultOf } from './relay/answers.ts';
export type {
  Evaluations,
  ImpactMetric,
  Registration,
  RelayApplication,
  RelayBatch,
  RelayMetric,
} from './relay/batch.ts';
export { createCache } from './relay/cache.ts';
export { type Clock, realClock } from './relay/clock.ts';
export { cutBatch } from './relay/cut.ts';
export { type Transport, createHttpTransport } from './relay/http-transport.ts';
export { type Ledger, createLedger } from './relay/ledger.ts';
export { createRandom } from './random.ts';
export { type Relay, createRelay } from './relay/relay.ts';
export { sumMetrics } from './relay/sums.ts';
