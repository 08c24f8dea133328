/** When requests are meant to be sent; times in milliseconds after the start. */
export type Schedule = {
  /** When request `index` (from 0) is due; undefined if it is not part of the load any more. */
  dueAt(index: number, elapsedMs: number): number | undefined;
  /** How many of `sent` and more requests should have been sent by now. */
  countDue(elapsedMs: number, sent: number): number;
};

/** An open loop: evenly spaced whatever the server does, the first at once, none at the end or later. */
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
