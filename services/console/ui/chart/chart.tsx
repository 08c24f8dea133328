import { useMemo, useState } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { type ChartData, bucketAt } from '../../state/chart/counts.ts';
import type { Mark } from '../../state/chart/marks.ts';
import type { Zone } from '../../state/format.ts';
import { useMedia } from '../media.ts';
import { readColours } from './colours.ts';
import { CopyCsv } from './copy.tsx';
import { Legend } from './legend.tsx';
import { Marks } from './marks.tsx';
import { Plot } from './plot.tsx';
import { ChartTable, csvOf } from './table.tsx';
import { BucketTooltip, Tooltip } from './tooltip.tsx';
import type { ChartKind, View } from './view.ts';

type Props = {
  /** Says what is counted, for screen readers and for the name of a saved file. */
  readonly title: string;
  readonly kind: ChartKind;
  readonly data: ChartData;
  readonly marks?: readonly Mark[];
  /** The zone of days that are not days of the zone of the switch. */
  readonly zone?: Zone;
  readonly previousTitle?: string;
  /** Called with the edges of a range that was drawn with the pointer, in epoch milliseconds. */
  readonly onRange?: (from: number, to: number) => void;
};

/** Nobody listens to more rows, and they would delay the first paint. */
const MOST_READ = 200;

/** Counts over time, with a table that holds the same numbers. */
export function Chart({ title, kind, data, marks = [], previousTitle = 'window before', ...rest }: Props) {
  const [isTable, setTable] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const view = useView({ kind, data, hidden, zone: rest.zone });
  const toggle = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  return (
    <figure class="chart" aria-label={title}>
      <div class="chart-controls">
        <Legend view={view} previousTitle={previousTitle} onToggle={toggle} />
        <div>
          <CopyCsv title={title} text={() => csvOf(data)} />
          <button
            type="button"
            aria-pressed={isTable}
            onClick={() => {
              setTable(!isTable);
            }}
          >
            As table
          </button>
        </div>
      </div>
      {!isTable && <Drawing view={view} marks={marks} onRange={rest.onRange} />}
      {/* A screen reader gets the table in any case, or the button to one of a day of minutes. */}
      {(isTable || data.starts.length <= MOST_READ) && (
        <div
          class={isTable ? 'chart-table-box' : 'visually-hidden'}
          {...(isTable ? { tabIndex: 0, role: 'region', 'aria-label': `${title}, as table` } : {})}
        >
          <ChartTable caption={title} data={data} zone={view.zone} />
        </div>
      )}
    </figure>
  );
}

/** Reads the colours again when the theme changes. */
function useView({
  kind,
  data,
  hidden,
  zone,
}: Pick<View, 'kind' | 'data' | 'hidden'> & { readonly zone: Zone | undefined }): View {
  const { preferences } = useConsole();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const theme = `${preferences.theme.value} ${isDark}`;
  const shownZone = zone ?? preferences.zone.value;
  const colours = useMemo(readColours, [theme]);
  return useMemo(
    () => ({ kind, data, hidden, zone: shownZone, colours }),
    [kind, data, hidden, shownZone, colours],
  );
}

type DrawingProps = {
  readonly view: View;
  readonly marks: readonly Mark[];
  readonly onRange: Props['onRange'];
};

function Drawing({ view, marks, onRange }: DrawingProps) {
  const { data, zone } = view;
  const [place, setPlace] = useState({ left: 0, width: 0 });
  const [point, setPoint] = useState<{ readonly time: number; readonly left: number }>();
  const bucket = point && bucketAt(data, point.time);
  const { width } = place;
  return (
    <div class="drawing">
      <Plot view={view} onPoint={setPoint} onPlace={setPlace} onRange={onRange} />
      <div class="over" style={{ left: `${place.left}px`, width: `${width}px` }}>
        <Marks from={data.starts[0] ?? data.end} to={data.end} {...{ marks, width, zone }} />
        {point !== undefined && bucket !== undefined && (
          <Tooltip left={point.left} width={width}>
            <BucketTooltip view={view} bucket={bucket} />
          </Tooltip>
        )}
      </div>
    </div>
  );
}
