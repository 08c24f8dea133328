import type { BucketCount } from './chart/counts.ts';

export type Box = { readonly width: number; readonly height: number };

/**
 * The path of a sparkline, from 0 at the bottom to the largest count at the top. Unknown counts leave gaps.
 */
export function sparklinePath(counts: readonly BucketCount[], { width, height }: Box): string {
  const known = counts.filter((count) => count !== null);
  const top = Math.max(1, ...known);
  const step = width / Math.max(1, counts.length - 1);
  let isDrawing = false;
  const steps = counts.map((count, index) => {
    if (count === null) {
      isDrawing = false;
      return '';
    }
    const point = `${round(index * step)} ${round(height * (1 - count / top))}`;
    // A line of no length shows as a dot, also between two gaps.
    const command = isDrawing ? `L${point}` : `M${point}h0`;
    isDrawing = true;
    return command;
  });
  return steps.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
