import type { Block } from '#core/counting';
import { aCounter, aHistogram, aMetric } from '../../support/builders/builders.ts';
import { aBlock } from '../../support/stack/engines/clickhouse/stored-blocks.ts';

export const COUNTERS_PARTITION = 5;
export const COUNTS_PARTITION = 6;

/** A block with counts, variants, samples and refusals. */
export function blockAt(from: bigint, now: number, partition = 0): Block {
  const name = `feature-${partition}-${from}`;
  const metrics = [
    aMetric({
      featureName: name,
      yes: 3,
      no: 1,
      variants: { on: 2, off: 1 },
      timestamp: new Date(now).toISOString(),
    }),
    aMetric({ featureName: 'too-old', yes: 1, timestamp: new Date(now - 90 * 86_400_000).toISOString() }),
  ];
  const impactMetrics = [
    aCounter({ name, samples: [{ value: 2.5 }, { value: -1 }] }),
    aHistogram({ name: `${name}-seconds` }),
  ];
  return aBlock({
    metrics,
    impactMetrics,
    batchId: `batch-${from}`,
    from,
    partition,
    receivedAt: now + Number(from),
    appendedAt: now + Number(from),
  });
}

/** A block that holds nothing but counts, so that its INSERT takes the shorter way. */
export function blockOfCounts(now: number): Block {
  const featureName = `feature-${COUNTS_PARTITION}-0`;
  const timestamp = new Date(now).toISOString();
  return aBlock({
    metrics: [aMetric({ featureName, yes: 5, no: 2, variants: { on: 4 }, timestamp })],
    batchId: 'counts',
    partition: COUNTS_PARTITION,
    receivedAt: now,
    appendedAt: now,
  });
}

/** A block with one value of each of two counters, and with reasons. One of them does not say the result. */
export function blockOfCounters(
  from: bigint,
  { value, now }: { readonly value: number; readonly now: number },
): Block {
  const featureName = `feature-${COUNTERS_PARTITION}-0`;
  const times = { startedAt: now - 1000, at: now + Number(from) };
  return aBlock({
    metrics: [],
    points: [
      { value, featureName, ...times },
      { value, featureName, counter: 'two', variant: '', result: 'unknown', ...times },
    ],
    reasons: [],
    batchId: `counters-${from}`,
    from,
    partition: COUNTERS_PARTITION,
    receivedAt: now + Number(from),
    appendedAt: now + Number(from),
  });
}
