import { formatCount, formatMeasured } from '../format.ts';

/** Evaluations in a bucket of time, or a rate; null if unknown. */
export type BucketCount = number | null;

/** The colours of a chart, in CSS variables. The names of variants give a fixed order. */
export type Tone = 'yes' | 'no' | 'unknown' | `variant-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;

export type ChartSeries = {
  readonly id: string;
  readonly title: string;
  readonly tone: Tone;
  /** One for each bucket. */
  readonly counts: readonly BucketCount[];
};

/** Counts in consecutive buckets of time. */
export type ChartData = {
  /** Starts of the buckets, in epoch milliseconds; each ends where the next one starts. */
  readonly starts: readonly number[];
  readonly end: number;
  /** Buckets that end later still grow. */
  readonly completeUntil: number;
  /** Of an area the lowest layer first. */
  readonly series: readonly ChartSeries[];
  /** All series together, in the buckets of the window before. */
  readonly previous?: readonly BucketCount[] | undefined;
  /** Given if the series are rates, which cannot be added up: the rate of each series over all buckets. */
  readonly rates?: readonly BucketCount[] | undefined;
};

/** A number of a chart as text. */
export function formatValue({ rates }: Pick<ChartData, 'rates'>, value: BucketCount | undefined): string {
  if (value === null || value === undefined) return 'unknown';
  return rates === undefined ? formatCount(value) : formatMeasured(value);
}

const VARIANTS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/** Eight colours, then again from the first. */
export function variantTone(index: number): Tone {
  return `variant-${VARIANTS[index % VARIANTS.length] ?? 1}`;
}

/** Unknown only if all are unknown. */
export function sumOf(counts: readonly BucketCount[]): BucketCount {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}

/** The counts of each bucket, over all series. */
export function totalsOf(
  series: readonly { readonly counts: readonly BucketCount[] }[],
  buckets: number,
): BucketCount[] {
  return Array.from({ length: buckets }, (_, bucket) =>
    sumOf(series.map(({ counts }) => counts[bucket] ?? null)),
  );
}

/** The upper edge of each layer, the lowest layer first. */
export function stack(
  layers: readonly { readonly counts: readonly BucketCount[] }[],
  buckets: number,
): BucketCount[][] {
  return layers.map((_, layer) => totalsOf(layers.slice(0, layer + 1), buckets));
}

/** The number of buckets at the start that no longer grow. */
export function completeBuckets({ starts, end, completeUntil }: ChartData): number {
  const growing = starts.findIndex((_, bucket) => (starts[bucket + 1] ?? end) > completeUntil);
  return growing < 0 ? starts.length : growing;
}

/** The bucket that contains the time; undefined outside. */
export function bucketAt({ starts, end }: ChartData, time: number): number | undefined {
  const found = starts.findLastIndex((start) => start <= time);
  return found < 0 || time >= end ? undefined : found;
}
