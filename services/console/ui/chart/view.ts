import type uPlot from 'uplot';
import { type ChartData, type BucketCount, completeBuckets, stack } from '../../state/chart/counts.ts';
import type { Zone } from '../../state/format.ts';
import type { Colours } from './colours.ts';

/** `area`: layers of buckets, one upon the other. `lines`: one line for each series. */
export type ChartKind = 'area' | 'lines';

/** What a chart shows at the moment. */
export type View = {
  readonly kind: ChartKind;
  readonly data: ChartData;
  /** The ids of series that are switched off; `previous` stands for the window before. */
  readonly hidden: ReadonlySet<string>;
  readonly zone: Zone;
  readonly colours: Colours;
};

export const PREVIOUS = 'previous';

/** The heights of all series, those of an area with the layers below them. Hidden series have none. */
export function heightsOf({ kind, data, hidden }: View): (readonly BucketCount[])[] {
  const isShown = data.series.map(({ id }) => !hidden.has(id));
  const counts = data.series.map((series, index) => ({
    counts: isShown[index] === true ? series.counts : [],
  }));
  const heights = kind === 'area' ? stack(counts, data.starts.length) : counts.map((series) => series.counts);
  return heights.map((height, index) => (isShown[index] === true ? height : []));
}

export function previousOf({ data, hidden }: View): readonly BucketCount[] {
  return hidden.has(PREVIOUS) ? [] : (data.previous ?? []);
}

/** The highest count on the screen, also of buckets that still grow. */
export function topOf(view: View): number {
  return [...heightsOf(view), previousOf(view)]
    .flat()
    .reduce<number>((top, count) => Math.max(top, count ?? 0), 0);
}

/**
 * The data for uPlot: times in seconds, the series from the last to the first, so that lower layers are painted over higher
 * ones, and the window before. Steps end at the end of the last bucket, lines go from the middle of one bucket to the next.
 */
export function plotDataOf(view: View): uPlot.AlignedData {
  const { data, kind } = view;
  const { starts, end } = data;
  const complete = completeBuckets(data);
  const steps = (counts: readonly BucketCount[], buckets: number): BucketCount[] =>
    [...starts, end].map((_, at) =>
      at > buckets ? null : ((at === buckets ? counts[at - 1] : counts[at]) ?? null),
    );
  const points = (counts: readonly BucketCount[], buckets: number): BucketCount[] =>
    starts.map((_, at) => (at >= buckets ? null : (counts[at] ?? null)));
  const [shape, times] =
    kind === 'area'
      ? [steps, [...starts, end]]
      : [points, starts.map((start, at) => (start + (starts[at + 1] ?? end)) / 2)];
  return [
    times.map((time) => time / 1000),
    ...heightsOf(view)
      .map((counts) => shape(counts, complete))
      .reverse(),
    shape(previousOf(view), starts.length),
  ];
}
