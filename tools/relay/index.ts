/**
 * Simulates one relay: it collects evaluations of SDKs and pushes them as Unleash Edge 20.1 does, including its retries and losses
 * (docs/develop/unleash.md#pushes-of-edge and the three sections after it). Its ledger records the outcome of each request, so that
 * tests can compare it with all stored rows. Unlike Edge it loses nothing while it pushes two environments.
 */
export { failuresAfter, pushResultOf } from './answers.ts';
export type { Evaluations, ImpactMetric, RelayBatch, RelayMetric } from './batch.ts';
export { createCache } from './cache.ts';
export { type Clock, realClock } from './clock.ts';
export { cutBatch } from './cut.ts';
export { type Transport, createHttpTransport } from './http-transport.ts';
export { type Ledger, createLedger } from './ledger.ts';
export { type Relay, createRelay } from './relay.ts';
export { sumMetrics } from './sums.ts';
