import type { Progress } from './options.ts';
import type { Tally } from './tally.ts';

/** Returns a function that reports the progress since its last call. */
export function createProgress(tally: Tally): () => Progress {
  let [second, requests, rows] = [0, 0, 0];
  return () => {
    const { acknowledged, latency, answered } = tally;
    second += 1;
    const progress = {
      second,
      requests: acknowledged.requests - requests,
      rows: acknowledged.rows - rows,
      p99: latency.percentile(99) / 1000,
      failures: answered - acknowledged.requests,
    };
    requests = acknowledged.requests;
    rows = acknowledged.rows;
    return progress;
  };
}
