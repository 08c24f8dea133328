/** What a relay does with a batch after an answer. */
export type PushResult = 'acknowledged' | 'dropped' | 'merged-back';

const DROPPING = new Set([400, 401, 403, 404, 413]);
const REJECTING = new Set([401, 403, 404]);
const BUSY = new Set([429, 500, 502, 503, 504]);
const FAILURES_AFTER_TROUBLE = 10;

/** docs/develop/unleash.md#answers-and-retries */
export function pushResultOf(status: number): PushResult {
  if (status >= 200 && status < 300) return 'acknowledged';
  return DROPPING.has(status) ? 'dropped' : 'merged-back';
}

/**
 * The failure count after an answer. The next regular push is `1 + failures` intervals away
 * (docs/develop/unleash.md#answers-and-retries).
 */
export function failuresAfter(failures: number, status: number): number {
  if (pushResultOf(status) === 'acknowledged') return Math.max(0, failures - 1);
  if (REJECTING.has(status)) return FAILURES_AFTER_TROUBLE;
  return BUSY.has(status) ? Math.max(FAILURES_AFTER_TROUBLE, failures + 1) : failures;
}
