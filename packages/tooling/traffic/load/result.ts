import type { LoadOptions } from './options.ts';
import type { Tally } from './tally.ts';

/** The results of a load; times in milliseconds. */
export type LoadResult = ReturnType<typeof describeLoad>;

export type Measured = {
  readonly tally: Tally;
  /** Epoch milliseconds: the first request and the last answer. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Requests that were due but not sent, because every connection was waiting. */
  readonly notSent: number;
  readonly cpu: NodeJS.CpuUsage;
};

export function describeLoad(options: LoadOptions, measured: Measured) {
  const { tally, startedAt, endedAt, notSent, cpu } = measured;
  const { acknowledged, inDoubt, sent, latency } = tally;
  const seconds = (endedAt - startedAt) / 1000;
  const milliseconds = (percentile: number): number => latency.percentile(percentile) / 1000;
  const cpuMs = (cpu.user + cpu.system) / 1000;
  return {
    /** Open loop: requests are sent when due, and latency counts from then. Closed loop: each connection sends after its answer. */
    mode: options.rate === 'maximum' ? 'closed loop' : 'open loop',
    rate: options.rate,
    rowsPerBody: options.rowsPerBody,
    connections: options.connections,
    keys: {
      features: options.features,
      apps: options.apps,
      environments: options.environments.length,
      skew: options.skew,
    },
    seed: options.seed,
    startedAt,
    endedAt,
    seconds,
    requests: { sent, acknowledged: acknowledged.requests, inDoubt: inDoubt.requests, notSent },
    requestsPerSecond: acknowledged.requests / seconds,
    rowsPerSecond: acknowledged.rows / seconds,
    latencyMs: {
      p50: milliseconds(50),
      p95: milliseconds(95),
      p99: milliseconds(99),
      p999: milliseconds(99.9),
      max: latency.max / 1000,
    },
    statuses: Object.fromEntries(tally.statuses),
    errors: Object.fromEntries(tally.errors),
    /** The ledger: at least this must be stored, and at most the batches in doubt in addition. */
    acknowledged: sumsOf(acknowledged),
    inDoubt: sumsOf(inDoubt),
    cpu: { ms: cpuMs, msPer1000Rows: acknowledged.rows === 0 ? 0 : (cpuMs * 1000) / acknowledged.rows },
  };
}

function sumsOf({ rows, yes, no, variants }: Tally['acknowledged']) {
  return { rows, yes, no, variants };
}
