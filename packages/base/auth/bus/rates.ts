import { type Log, startJob } from '#base/runtime';
import type { Bus, Rate } from './bus.ts';

export type Rates = {
  /** Counts one request of a token. The result includes the requests in other processes, at most a second old. */
  count(tokenId: string): Rate;
  /** Whether the last exchange with other processes succeeded. */
  areShared(): boolean;
  close(): Promise<void>;
};

/** `known` came from the other processes or was sent to them; `untold` was not sent yet. */
type Tally = { known: number; untold: number; resetAt: number };

const WINDOW_MS = 60_000;
/** The pause between two exchanges. */
const PAUSE_MS = 1000;

/**
 * Counts requests per token and window in this process, and exchanges the counts with other processes once a second: no request
 * waits for that. While the others are unreachable, each process limits on its own. Counts that they may have received
 * are not sent again, because a token must not be rejected for requests that it did not send.
 */
export function openRates(bus: Pick<Bus, 'addUp'>, log: Log, windowMs = WINDOW_MS): Rates {
  const tallies = new Map<string, Tally>();
  let areShared = true;

  const job = startJob({ name: 'rate synchronisation', pauseMs: PAUSE_MS, log }, async () => {
    const now = performance.now();
    for (const [tokenId, { resetAt }] of tallies) if (resetAt <= now) tallies.delete(tokenId);
    const counted = new Map([...tallies].filter(([, { untold }]) => untold > 0));
    if (counted.size === 0) return;
    areShared = false;
    const added = new Map([...counted].map(([tokenId, { untold }]) => [tokenId, untold]));
    for (const tally of counted.values()) {
      tally.known += tally.untold;
      tally.untold = 0;
    }
    for (const [tokenId, { requests, resetMs }] of await bus.addUp(added, windowMs)) {
      const tally = counted.get(tokenId);
      if (tally === undefined) continue;
      tally.known = requests;
      tally.resetAt = performance.now() + resetMs;
    }
    areShared = true;
  });

  return {
    count(tokenId) {
      const now = performance.now();
      let tally = tallies.get(tokenId);
      if (tally === undefined || tally.resetAt <= now) {
        tally = { known: 0, untold: 0, resetAt: now + windowMs };
        tallies.set(tokenId, tally);
      }
      tally.untold += 1;
      return { requests: tally.known + tally.untold, resetMs: tally.resetAt - now };
    },
    areShared: () => areShared,
    close: () => job.stop(),
  };
}
