/**
 * A signal that aborts after the time, or with `other`. Call `end` after the work. Not `AbortSignal.any` with
 * `AbortSignal.timeout`: in Node 20 the garbage collector may take the time-out away (nodejs/node#57736), and then the signal
 * never aborts.
 */
export function deadlineSignal(
  timeoutMs: number,
  other?: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, timeoutMs);
  const abort = (): void => {
    controller.abort(other?.reason);
  };
  if (other?.aborted === true) abort();
  else other?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      other?.removeEventListener('abort', abort);
    },
  };
}
