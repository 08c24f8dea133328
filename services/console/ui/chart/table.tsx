import { formatBucket } from '../../state/chart/bucket-title.ts';
import { type ChartData, type BucketCount, formatValue, totalsOf } from '../../state/chart/counts.ts';
import { toCsv } from '../../state/chart/csv.ts';
import type { Zone } from '../../state/format.ts';
import { Isolated } from '../parts.tsx';

type Props = { readonly caption: string; readonly data: ChartData; readonly zone: Zone };

/** The numbers of a chart, the newest first. */
export function ChartTable({ caption, data, zone }: Props) {
  const { starts, end, completeUntil } = data;
  const columns = columnsOf(data);
  return (
    <table class="chart-table">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{zone === 'UTC' ? 'UTC' : 'Local time'}</th>
          {columns.map(({ id, title }) => (
            <th key={id} scope="col">
              <Isolated>{title}</Isolated>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[...starts.entries()].reverse().map(([bucket, start]) => {
          const bucketEnd = starts[bucket + 1] ?? end;
          return (
            <tr key={start}>
              <th scope="row">
                {formatBucket({ start, end: bucketEnd }, zone)}
                {bucketEnd > completeUntil && <span class="muted"> still filling</span>}
              </th>
              {columns.map(({ id, counts }) => (
                <td key={id}>{formatValue(data, counts[bucket])}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The same numbers, with the starts of the buckets as ISO 8601 in UTC. Unknown counts are empty. */
export function csvOf(data: ChartData): string {
  const columns = columnsOf(data);
  return toCsv([
    ['start', ...columns.map(({ title }) => title)],
    ...data.starts.map((start, bucket) => [
      new Date(start).toISOString(),
      ...columns.map(({ counts }) => counts[bucket] ?? null),
    ]),
  ]);
}

type Column = { readonly id: string; readonly title: string; readonly counts: readonly BucketCount[] };

/** Ids of series begin with another character than those of the added columns. */
function columnsOf({ series, starts, previous, rates }: ChartData): Column[] {
  return [
    ...series.map(({ id, title, counts }) => ({ id: `series ${id}`, title, counts })),
    ...(series.length > 1 && rates === undefined
      ? [{ id: 'total', title: 'total', counts: totalsOf(series, starts.length) }]
      : []),
    ...(previous === undefined ? [] : [{ id: 'previous', title: 'window before', counts: previous }]),
  ];
}
