import { createRequire } from 'node:module';
import { inBackground } from '#base/runtime';
import { FetchPace } from './fetch-pace.ts';

type ConsumerGroup = {
  /** Of a fetch, of each partition in it, and for how many it waits. */
  maxBytes: number;
  maxBytesPerPartition: number;
  minBytes: number;
  readonly maxWaitTime: number;
};

type Runner = {
  readonly consumerGroup: ConsumerGroup;
  heartbeat(): Promise<void>;
  fetch: (this: Runner, nodeId: number) => Promise<readonly unknown[]>;
};

type Connection = {
  /** Bytes of an answer that is not complete. */
  readonly bytesBuffered: number;
  readonly requestQueue: { readonly inflight: ReadonlyMap<number, { sentAt: number }> };
  processData: (this: Connection, data: Buffer) => void;
};

const HEARTBEAT_MS = 1000;

const require = createRequire(import.meta.url);
const { prototype: runner } = require('kafkajs/src/consumer/runner') as { readonly prototype: Runner };
const { prototype: connection } = require('kafkajs/src/network/connection') as {
  readonly prototype: Connection;
};

type Fetching = { readonly pace: FetchPace; readonly limits: Omit<ConsumerGroup, 'maxWaitTime'> };
const fetchingOf = new WeakMap<ConsumerGroup, Fetching>();

/**
 * kafkajs 2.2.4 sends no heartbeat while it waits for a fetch, and always asks for the same number of bytes. Above a quota, or over a
 * slow connection, a fetch takes longer than the session of the member, which then joins again and fetches the same for ever. With this
 * change the member lives meanwhile, and asks for what it gets in about a second.
 */
const { fetch } = runner;
runner.fetch = async function (nodeId) {
  const { pace, limits } = startFetching(this.consumerGroup);
  limitFetch(this.consumerGroup, limits, pace.bytes);
  // An error of a heartbeat comes again with the next one, after the fetch.
  const beat = setInterval(() => {
    inBackground(this.heartbeat(), () => undefined);
  }, HEARTBEAT_MS);
  const startedAt = performance.now();
  try {
    return await fetch.call(this, nodeId);
  } finally {
    clearInterval(beat);
    pace.note(performance.now() - startedAt);
  }
};

function startFetching(group: ConsumerGroup): Fetching {
  const known = fetchingOf.get(group);
  if (known !== undefined) return known;
  const { maxBytes, maxBytesPerPartition, minBytes, maxWaitTime } = group;
  const fetching = {
    pace: new FetchPace({ mostBytes: maxBytes, waitMs: maxWaitTime }),
    limits: { maxBytes, maxBytesPerPartition, minBytes },
  };
  fetchingOf.set(group, fetching);
  return fetching;
}

function limitFetch(group: ConsumerGroup, limits: Fetching['limits'], bytes: number): void {
  group.maxBytes = Math.min(limits.maxBytes, bytes);
  group.maxBytesPerPartition = Math.min(limits.maxBytesPerPartition, bytes);
  group.minBytes = Math.min(limits.minBytes, bytes);
}

/** An answer of which bytes arrive is not late: only silence ends the wait for it. */
const { processData } = connection;
connection.processData = function (data) {
  processData.call(this, data);
  if (this.bytesBuffered === 0) return;
  const now = Date.now();
  for (const request of this.requestQueue.inflight.values()) request.sentAt = now;
};
