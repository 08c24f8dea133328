/**
 * A signal that aborts after the time, or with `other`. Call `end` after the work. The timer keeps its signal: in Node 20 the
 * garbage collector may take an `AbortSignal.timeout` inside `AbortSignal.any` (nodejs/node#57736), which then never aborts.
 */
export function deadlineSignal(
  timeoutMs: number,
  other?: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, timeoutMs);
  return {
    signal: other === undefined ? controller.signal : AbortSignal.any([controller.signal, other]),
    end() {
      clearTimeout(timer);
    },
  };
}
