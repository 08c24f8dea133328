/**
 * A simulated relay: collects what SDKs counted and pushes it as Unleash Edge 20.1 does (unleash-facts 2 and 9), down
 * to its retries and to what it keeps or loses. It keeps a ledger of what became of each request, against which
 * everything that is stored can be compared. Unlike Edge it loses nothing while it pushes two environments.
 */
export { failuresAfter, verdictOf } from './answers.ts';
export type { Evaluations, Registration, RelayApplication, RelayBatch, RelayMetric } from './batch.ts';
export { createCache } from './cache.ts';
export { type Clock, realClock } from './clock.ts';
export { cutBatch } from './cut.ts';
export { type Transport, createHttpTransport } from './http-transport.ts';
export { type Ledger, createLedger } from './ledger.ts';
export { createRandom } from './random.ts';
export { type Relay, createRelay } from './relay.ts';
export { sumMetrics } from './sums.ts';
