import uPlot from 'uplot';
import { formatTick } from '../../state/chart/bucket-title.ts';
import type { Tone } from '../../state/chart/counts.ts';
import { drawGrowing } from './growing.ts';
import { type View, topOf } from './view.ts';

export type PlotEvents = {
  /** The time under the pointer in epoch milliseconds, and its place in the plot in CSS pixels; undefined outside. */
  readonly onPoint: (point: { readonly time: number; readonly left: number } | undefined) => void;
  /** The place of the plot between the axes, in CSS pixels. */
  readonly onPlace: (place: { readonly left: number; readonly width: number }) => void;
  /** Called with two times in epoch milliseconds when a range was drawn with the pointer. */
  readonly onRange: ((from: number, to: number) => void) | undefined;
};

const FONT = '12px system-ui, sans-serif';
const COMPACT = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumSignificantDigits: 3 });
const MAX_TICKS = 5;
/** Distances of marks: 1, 2 and 5 times a power of ten. */
const STEPS = Array.from({ length: 24 }, (_, power) => 10 ** (power - 9)).flatMap((power) => [
  power,
  2 * power,
  5 * power,
]);
const TICK_PX = 72;

/** `view` is asked again for each drawing, so that data, theme and zone may change. */
export function optionsOf(view: () => View, events: PlotEvents): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    series: [{}, ...layersOf(view), { ...lineOf(view), stroke: () => view().colours.previous, dash: [4, 4] }],
    scales: {
      x: { range: () => rangeOf(view()) },
      y: { range: () => uPlot.rangeNum(0, topOf(view()) || 1, 0.1, true) },
    },
    axes: axesOf(view),
    legend: { show: false },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: events.onRange !== undefined, y: false, setScale: false },
    },
    tzDate(seconds) {
      const date = new Date(seconds * 1000);
      return view().zone === 'UTC' ? uPlot.tzDate(date, 'Etc/UTC') : date;
    },
    // The dots of marks reach into the first, half of the last time into the second.
    padding: [12, 24, 0, 0],
    hooks: hooksOf(view, events),
  };
}

function rangeOf({ data: { starts, end } }: View): uPlot.Range.MinMax {
  return [(starts[0] ?? end) / 1000, end / 1000];
}

function lineOf(view: () => View): uPlot.Series {
  const steps = view().kind === 'area' ? uPlot.paths.stepped?.({ align: 1, alignGaps: 1 }) : undefined;
  return { width: 1.5, points: { show: false }, ...(steps === undefined ? {} : { paths: steps }) };
}

/** From the last to the first, as in `plotDataOf`. */
function layersOf(view: () => View): uPlot.Series[] {
  const { data, kind } = view();
  const layers = data.series.map((_, index): uPlot.Series => {
    const tone = (): Tone => view().data.series[index]?.tone ?? 'no';
    const stroke = (): string => view().colours.line(tone());
    return {
      ...lineOf(view),
      stroke,
      ...(kind === 'area' ? { fill: () => view().colours.area(tone()) } : {}),
    };
  });
  return layers.reverse();
}

function axesOf(view: () => View): uPlot.Axis[] {
  const common: uPlot.Axis = {
    stroke: () => view().colours.text,
    font: FONT,
    ticks: { show: false },
    grid: { stroke: () => view().colours.grid, width: 1 },
  };
  return [
    {
      ...common,
      grid: { show: false },
      space: (...[, , , , width]) => Math.max(width / MAX_TICKS, TICK_PX),
      values: (...[, times, , , step]) =>
        times.map((time) => formatTick(time * 1000, step * 1000, view().zone)),
      size: 28,
    },
    {
      ...common,
      space: 40,
      // Halves of evaluations do not exist, but halves of rates do.
      incrs: () => (view().data.rates === undefined ? STEPS.filter((step) => step >= 1) : STEPS),
      values: (_plot, counts) => counts.map((count) => COMPACT.format(count)),
      size: 48,
    },
  ];
}

function hooksOf(view: () => View, { onPoint, onPlace, onRange }: PlotEvents): uPlot.Hooks.Arrays {
  const place = ({ bbox }: uPlot): void => {
    onPlace({ left: bbox.left / uPlot.pxRatio, width: bbox.width / uPlot.pxRatio });
  };
  const timeAt = (plot: uPlot, left: number): number => plot.posToVal(left, 'x') * 1000;
  return {
    ready: [place],
    setSize: [place],
    // Before the series, so that the line of the window before lies above.
    drawAxes: [
      (plot) => {
        drawGrowing(plot, view());
      },
    ],
    setCursor: [
      (plot) => {
        const { left = -1 } = plot.cursor;
        onPoint(left < 0 ? undefined : { time: timeAt(plot, left), left });
      },
    ],
    setSelect: [
      (plot) => {
        const { left, width } = plot.select;
        if (width === 0) return;
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        onRange?.(timeAt(plot, left), timeAt(plot, left + width));
      },
    ],
  };
}
