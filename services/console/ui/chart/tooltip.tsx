import type { ComponentChildren } from 'preact';
import { formatBucket } from '../../state/chart/bucket-title.ts';
import { type ChartData, type BucketCount, formatValue, sumOf } from '../../state/chart/counts.ts';
import { formatShare } from '../../state/format.ts';
import { Isolated } from '../parts.tsx';
import { Swatch } from './legend.tsx';
import type { View } from './view.ts';

type BucketProps = { readonly view: View; readonly bucket: number };

/** The counts of one bucket with their shares. */
export function BucketTooltip({ view: { data, zone, hidden }, bucket }: BucketProps) {
  const start = data.starts[bucket] ?? data.end;
  const end = data.starts[bucket + 1] ?? data.end;
  const total =
    data.rates === undefined ? sumOf(data.series.map(({ counts }) => counts[bucket] ?? null)) : null;
  return (
    <>
      <strong>{formatBucket({ start, end }, zone)}</strong>
      {end > data.completeUntil && <p>still filling</p>}
      <dl>
        {data.series
          .filter(({ id }) => !hidden.has(id))
          .map(({ id, title, tone, counts }) => (
            <Line key={id} tone={tone} title={title} count={counts[bucket] ?? null} {...{ data, total }} />
          ))}
        {data.previous !== undefined && (
          <Line tone="previous" title="window before" count={data.previous[bucket] ?? null} data={data} />
        )}
      </dl>
    </>
  );
}

type LineProps = {
  readonly data: ChartData;
  readonly tone: string;
  readonly title: string;
  readonly count: BucketCount;
  readonly total?: BucketCount;
};

function Line({ data, tone, title, count, total = null }: LineProps) {
  return (
    <div>
      <dt>
        <Swatch tone={tone} /> <Isolated>{title}</Isolated>
      </dt>
      <dd>{formatValue(data, count)}</dd>
      <dd>{count !== null && total !== null && formatShare(count, total)}</dd>
    </div>
  );
}

type TooltipProps = { readonly left: number; readonly width: number; readonly children: ComponentChildren };

/** Beside its place in a plot, on the side that has more room. `left` and `width` in CSS pixels of the plot. */
export function Tooltip({ left, width, children }: TooltipProps) {
  const style = left > width / 2 ? { right: `${width - left + 12}px` } : { left: `${left + 12}px` };
  return (
    <div class="tooltip" style={style}>
      {children}
    </div>
  );
}
