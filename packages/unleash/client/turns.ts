export type Turns = {
  /**
   * Waits for a turn and returns the function that ends it. Undefined if the signal aborted the wait, or if too many are
   * waiting.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
};

type Bounds = { readonly atOnce: number; readonly maxWaiting: number };

/** Allows `atOnce` turns at the same time. Others wait in order of arrival. */
export function createTurns({ atOnce, maxWaiting }: Bounds): Turns {
  const waiting = new Set<() => void>();
  let taken = 0;
  const end = (): void => {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  };
  return {
    async take(signal) {
      if (taken < atOnce) {
        taken += 1;
        return end;
      }
      if (waiting.size >= maxWaiting) return undefined;
      return (await waitIn(waiting, signal)) ? end : undefined;
    },
  };
}

/** Whether the turn came before the signal. */
function waitIn(waiting: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isTurn: boolean): void => {
      waiting.delete(onTurn);
      signal.removeEventListener('abort', onAbort);
      resolve(isTurn);
    };
    const onTurn = (): void => {
      settle(true);
    };
    const onAbort = (): void => {
      settle(false);
    };
    waiting.add(onTurn);
    signal.addEventListener('abort', onAbort);
  });
}
