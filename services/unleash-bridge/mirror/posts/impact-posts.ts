import { type BlockImpact, type GaugeState, type SeriesSum, numberOfBillionths } from '#core/counting';
import { MAX_ITEM_BYTES, splitByBody } from './bodies.ts';
import { bytesOf } from '#unleash/client';

/** A sample in the form of Unleash (docs/develop/unleash.md#impact-metrics). */
type PostedSample = { readonly labels: Readonly<Record<string, string>> } & (
  | { readonly value: number }
  | {
      readonly count: number;
      readonly sum: number;
      readonly buckets: readonly { readonly le: number | '+Inf'; readonly count: number }[];
    }
);

export type ImpactMetric = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly PostedSample[];
};

export type ImpactPost = {
  readonly kind: 'impact';
  readonly environment: string;
  readonly metrics: readonly ImpactMetric[];
  readonly samples: number;
};

type Item = Omit<ImpactMetric, 'samples'> & { readonly environment: string; readonly sample: PostedSample };

/**
 * The posts of the impact metrics of a block, each for one environment. Like those of counts, the list depends only on the block.
 * A gauge keeps the value that Unleash receives last, so gauges come in the order of their receipt.
 */
export function impactPostsOf({ series, gauges }: BlockImpact, onLeftOut: () => void): ImpactPost[] {
  const inOrder = gauges.toSorted((a, b) => a.at - b.at);
  const items = [...series.map(itemOfSeries), ...inOrder.map(itemOfGauge)];
  const fitting = items.filter((item) => {
    const fits = bytesOf(item) <= MAX_ITEM_BYTES;
    if (!fits) onLeftOut();
    return fits;
  });
  return splitByBody(fitting).map(({ environment, part }) => ({
    kind: 'impact',
    environment,
    metrics: metricsOf(part),
    samples: part.length,
  }));
}

function itemOfSeries({ type, name, help, environment, ...sum }: SeriesSum): Item {
  const value = numberOfBillionths(sum.total);
  const labels = labelsOf(sum);
  const sample =
    type === 'counter'
      ? { labels, value }
      : { labels, count: Number(sum.observations), sum: value, buckets: growingBuckets(sum.buckets) };
  return { name, help: help || name, type, environment, sample };
}

function itemOfGauge({ name, help, environment, last, ...gauge }: GaugeState): Item {
  return {
    name,
    help: help || name,
    type: 'gauge',
    environment,
    sample: { labels: labelsOf(gauge), value: last },
  };
}

function labelsOf({
  labelNames,
  labelValues,
}: Pick<SeriesSum, 'labelNames' | 'labelValues'>): PostedSample['labels'] {
  return Object.fromEntries(labelNames.map((name, index) => [name, labelValues[index] ?? '']));
}

/** How many observations are at most each bound, as Prometheus counts. */
function growingBuckets(buckets: SeriesSum['buckets']) {
  const inOrder = Array.from(buckets, ([bound, count]) => ({
    bound: bound === '+Inf' ? Infinity : Number(bound),
    count,
  }));
  let below = 0n;
  return inOrder
    .sort((a, b) => a.bound - b.bound)
    .map(({ bound, count }) => {
      below += count;
      return { le: bound === Infinity ? ('+Inf' as const) : bound, count: Number(below) };
    });
}

function metricsOf(items: readonly Item[]): ImpactMetric[] {
  const metrics = new Map<string, ImpactMetric & { readonly samples: PostedSample[] }>();
  for (const { name, help, type, sample } of items) {
    const key = JSON.stringify([name, type, help]);
    const metric = metrics.get(key) ?? { name, help, type, samples: [] };
    metrics.set(key, metric);
    metric.samples.push(sample);
  }
  return [...metrics.values()];
}
