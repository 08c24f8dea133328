import uPlot from 'uplot';
import { completeBuckets } from '../../state/chart/counts.ts';
import { type View, heightsOf } from './view.ts';

const STRIPE_PX = 6;

/** Hatches the buckets that still grow. An area shows them as high as they are now, lines do not reach them. */
export function drawGrowing(plot: uPlot, view: View): void {
  const { data, kind, colours } = view;
  const complete = completeBuckets(data);
  const heights = heightsOf(view);
  const { top, height } = plot.bbox;
  for (let bucket = complete; bucket < data.starts.length; bucket += 1) {
    const [from, to] = [data.starts[bucket] ?? data.end, data.starts[bucket + 1] ?? data.end];
    const left = plot.valToPos(from / 1000, 'x', true);
    const width = plot.valToPos(to / 1000, 'x', true) - left;
    if (kind === 'lines') hatch(plot, { left, top, width, height }, colours.grid);
    else
      for (const [layer, series] of [...data.series.entries()].reverse()) {
        const count = heights[layer]?.[bucket] ?? 0;
        const edge = plot.valToPos(count, 'y', true);
        const box = { left, top: edge, width, height: top + height - edge };
        plot.ctx.clearRect(box.left, box.top, box.width, box.height);
        hatch(plot, box, colours.line(series.tone));
      }
  }
}

function hatch({ ctx }: uPlot, { left, top, width, height }: uPlot.BBox, colour: string): void {
  const stripe = STRIPE_PX * uPlot.pxRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.beginPath();
  for (let x = left - height; x < left + width; x += stripe) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = uPlot.pxRatio;
  ctx.stroke();
  ctx.restore();
}
