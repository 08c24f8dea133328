import { type Registration, edgeHeaders, toApplication } from '#tooling/traffic';
import { failuresAfter, pushResultOf } from './answers.ts';
import { type Evaluations, type ImpactMetric, type RelayBatch, serialiseBatch } from './batch.ts';
import { type Cache, createCache } from './cache.ts';
import { type Clock, realClock } from './clock.ts';
import { cutBatch } from './cut.ts';
import { deliver } from './deliver.ts';
import { type Transport, createHttpTransport } from './http-transport.ts';
import { type Ledger, createLedger } from './ledger.ts';
import { createConnectionId } from './connection-id.ts';

export type RelayOptions = {
  /** The base URL of the receiver. */
  readonly url: string;
  /** The secret of each environment. Counts of any other environment are dropped. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Numbers from 0 to 1, for its id and the jitter of its retries. */
  readonly random: () => number;
  readonly clock?: Clock;
  readonly transport?: Transport;
  readonly path?: '/api/client/metrics/bulk' | '/edge/metrics';
  readonly appName?: string;
  readonly timeoutMs?: number;
};

export type Relay = {
  /** The values of its `unleash-connection-id` and `unleash-instanceid`. */
  readonly connectionId: string;
  readonly ledger: Ledger;
  record(evaluations: Evaluations): void;
  register(registration: Registration): void;
  addImpact(environment: string, metric: ImpactMetric): void;
  seeToken(environment: string, secret: string): void;
  /** Sends all collected data, one environment after the other; resolves when every request has its outcome. */
  push(): Promise<void>;
  /** Pushes after each interval, less often after failures, and once more at the signal. */
  run(intervalMs: number, signal: AbortSignal): Promise<void>;
  /** Closes its connections. */
  close(): void;
};

const MAX_IN_FLIGHT = 16;

export function createRelay(options: RelayOptions): Relay {
  const { random, clock = realClock, transport = createHttpTransport(), appName = 'unleash-edge' } = options;
  const connectionId = createConnectionId(clock.now(), random);
  const cache = createCache();
  const ledger = createLedger();
  const pusher: Pusher = { ...options, clock, transport, appName, connectionId, cache, ledger, failures: 0 };
  let pushing = Promise.resolve();
  const pushAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier;
    await pushAll(pusher);
  };
  const push = (): Promise<void> => {
    pushing = pushAfter(pushing);
    return pushing;
  };
  return {
    connectionId,
    ledger,
    record(evaluations) {
      cache.record(evaluations);
    },
    register(registration) {
      cache.register(toApplication(registration, { appName, instanceId: connectionId }));
    },
    addImpact(environment, metric) {
      cache.addImpact(environment, metric);
    },
    seeToken(environment, secret) {
      cache.seeToken(environment, secret);
    },
    push,
    async run(intervalMs, signal) {
      for (;;) {
        await clock.sleep(intervalMs * (1 + pusher.failures), signal);
        const isLast = signal.aborted;
        await push();
        if (isLast) return;
      }
    },
    close() {
      transport.close();
    },
  };
}

type Pusher = Omit<RelayOptions, 'clock' | 'transport' | 'appName'> & {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly appName: string;
  readonly connectionId: string;
  readonly cache: Cache;
  readonly ledger: Ledger;
  failures: number;
};

/** Every environment's batch contains the whole list of applications. Applications alone are not sent. */
async function pushAll(pusher: Pusher): Promise<void> {
  const environments = pusher.cache.environments();
  const applications = environments.length > 0 ? pusher.cache.drainApplications() : [];
  for (const environment of environments) {
    const chunks = cutBatch({ applications, ...pusher.cache.drain(environment) });
    const waiting = chunks.values();
    const sendNext = async (): Promise<void> => {
      for (const chunk of waiting) await sendChunk(pusher, environment, chunk);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_IN_FLIGHT, chunks.length) }, sendNext));
  }
}

async function sendChunk(pusher: Pusher, environment: string, chunk: RelayBatch): Promise<void> {
  const body = Buffer.from(serialiseBatch(chunk));
  const entry = pusher.ledger.open(environment, chunk, body.byteLength);
  const token = pusher.tokens[environment];
  if (token === undefined) {
    entry.settle('dropped');
    return;
  }
  const { url, path = '/api/client/metrics/bulk', timeoutMs = 5000 } = pusher;
  const request = {
    url: `${url}${path}`,
    headers: { authorization: token, ...edgeHeaders(pusher.appName, pusher.connectionId) },
    body,
    timeoutMs,
  };
  const status = await deliver(request, entry, pusher);
  const result = status === undefined ? 'unknown' : pushResultOf(status);
  entry.settle(result);
  if (status !== undefined) pusher.failures = failuresAfter(pusher.failures, status);
  if (result === 'merged-back' || result === 'unknown') pusher.cache.mergeBack(environment, chunk);
}
