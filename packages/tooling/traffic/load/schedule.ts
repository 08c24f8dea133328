/** When requests are due; times in milliseconds after the start. */
export type Schedule = {
  /** The due time of request `index` (from 0); undefined if the load ends before it. */
  dueAt(index: number, elapsedMs: number): number | undefined;
  /** The number of requests due by now. In a closed loop that is `sent`, the number already sent. */
  countDue(elapsedMs: number, sent: number): number;
};

/** An open loop: evenly spaced requests, independent of the server. The first is due at once, none at the end or later. */
export function createOpenSchedule(requestsPerSecond: number, seconds: number): Schedule {
  const total = Math.ceil(requestsPerSecond * seconds);
  return {
    dueAt: (index) => (index < total ? (index * 1000) / requestsPerSecond : undefined),
    countDue: (elapsedMs) => Math.min(total, Math.floor((elapsedMs * requestsPerSecond) / 1000) + 1),
  };
}

/** A closed loop: a request is due whenever a connection is free. */
export function createClosedSchedule(seconds: number): Schedule {
  return {
    dueAt: (_index, elapsedMs) => (elapsedMs < seconds * 1000 ? elapsedMs : undefined),
    countDue: (_elapsedMs, sent) => sent,
  };
}
