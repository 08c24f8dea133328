/**
 * For Unleash, which stores some reports only every two or three minutes: runs its rare jobs thirty times as often, so
 * that a test need not wait for them.
 */
const RARE_MS = 120_000;
const TIMES_AS_OFTEN = 30;

const setIntervalOfNode = globalThis.setInterval;
globalThis.setInterval = Object.assign(
  (callback: () => void, ms = 0, ...args: []) =>
    setIntervalOfNode(callback, ms < RARE_MS ? ms : ms / TIMES_AS_OFTEN, ...args),
  setIntervalOfNode,
);
