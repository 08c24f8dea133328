import { createHistogram } from 'node:perf_hooks';
import type { Sums } from './bodies/slots.ts';
import type { Outcome } from './connection.ts';

const NOTHING: Sums = { rows: 0, yes: 0, no: 0, variants: 0 };

/** 71 minutes. */
const LONGEST_US = 2 ** 32 - 1;

/** The outcomes of the requests so far. */
export class Tally {
  /** In whole microseconds, with an error below 1/1000. */
  readonly latency = createHistogram({ lowest: 1, highest: LONGEST_US, figures: 3 });
  readonly statuses = new Map<number, number>();
  readonly errors = new Map<string, number>();
  sent = 0;
  /** Requests with a known outcome, including failures. */
  answered = 0;
  /** Acknowledged with 202, or with the 200 of OpenTelemetry: the server must have stored these once. */
  acknowledged: Sums & { readonly requests: number } = { ...NOTHING, requests: 0 };
  /** Without an answer: these may be stored or not. */
  inDoubt: Sums & { readonly requests: number } = { ...NOTHING, requests: 0 };

  record(outcome: Outcome, sums: Sums, latencyMs: number): void {
    this.answered += 1;
    if ('status' in outcome) {
      this.latency.record(Math.min(Math.max(Math.round(latencyMs * 1000), 1), LONGEST_US));
      increment(this.statuses, outcome.status);
      if (outcome.status === 202 || outcome.status === 200) this.acknowledged = plus(this.acknowledged, sums);
    } else {
      increment(this.errors, outcome.error);
      if (outcome.isInDoubt) this.inDoubt = plus(this.inDoubt, sums);
    }
  }
}

function plus(all: Tally['acknowledged'], { rows, yes, no, variants }: Sums): Tally['acknowledged'] {
  return {
    requests: all.requests + 1,
    rows: all.rows + rows,
    yes: all.yes + yes,
    no: all.no + no,
    variants: all.variants + variants,
  };
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
