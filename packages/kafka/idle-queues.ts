import { createRequire } from 'node:module';

type RequestQueue = {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
};

/**
 * kafkajs 2.2.4 looks every millisecond, for each of its connections, after requests that it holds back, though it holds back none
 * (tulios/kafkajs#1751): 3 % of a core for five idle connections, 0.7 % without, and from Node 24 on a warning of each process.
 * Here it looks again only where one is held back. An answer and a new request make it look by themselves.
 */
const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  prototype: RequestQueue;
};
const schedule = prototype.scheduleCheckPendingRequests;
prototype.scheduleCheckPendingRequests = function () {
  if (this.pending.length > 0) schedule.call(this);
};
