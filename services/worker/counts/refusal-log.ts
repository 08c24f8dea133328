import { type Block, REASONS_OF_WORKER, type RefusalReason } from '#core/counting';
import type { Log } from '#base/runtime';

export type RefusalLog = {
  /** Notes what is refused in a stored block. */
  note(block: Pick<Block, 'refusals'>): void;
  /** Logs what is left. */
  close(): void;
};

/** The first refusal is logged soon, later ones once a minute. */
const FIRST_MS = 1000;
const BETWEEN_MS = 60_000;
/** Pairs of a token and a reason until the next report. The view `refusals` has all. */
const MAX_SUMS = 1000;

type Sum = { readonly tokenId: string; readonly reason: RefusalReason; count: number };

/** Logs the refusals that only the worker finds, once a minute for each token and reason. Ingest logs the others in the same form. */
export function createRefusalLog(log: Log): RefusalLog {
  const sums = new Map<string, Sum>();
  let timer: NodeJS.Timeout | undefined;
  let reportedAt = -Infinity;
  const report = (): void => {
    clearTimeout(timer);
    timer = undefined;
    reportedAt = performance.now();
    for (const sum of sums.values()) log.warn({ ...sum, kind: 'metric' }, 'refused');
    sums.clear();
  };
  return {
    note({ refusals }) {
      for (const { tokenId, reason, metrics } of refusals) {
        if (!REASONS_OF_WORKER.has(reason)) continue;
        const key = `${reason} ${tokenId}`;
        const sum = sums.get(key);
        if (sum !== undefined) sum.count += metrics;
        else if (sums.size < MAX_SUMS) sums.set(key, { tokenId, reason, count: metrics });
      }
      if (sums.size === 0) return;
      timer ??= setTimeout(report, Math.max(FIRST_MS, reportedAt + BETWEEN_MS - performance.now())).unref();
    },
    close: report,
  };
}
