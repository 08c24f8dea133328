import type { BucketCount } from '../state/chart/counts.ts';
import { sparklinePath } from '../state/sparkline.ts';

type Props = {
  /** One for each bucket; null if unknown. */
  readonly counts: readonly BucketCount[];
  /** What a screen reader says, for example "1,204 evaluations in 24 h". */
  readonly label: string;
  /** Whether the last bucket still grows. It is left out, because it would look like a drop. */
  readonly isLastGrowing?: boolean;
};

const WIDTH = 96;
const HEIGHT = 24;
/** Room for half of the stroke. */
const EDGE = 1;

/** The shape of counts over time, without axes. */
export function Sparkline({ counts, label, isLastGrowing = false }: Props) {
  const shown = isLastGrowing ? counts.slice(0, -1) : counts;
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={label}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`${-EDGE} ${-EDGE} ${WIDTH} ${HEIGHT}`}
    >
      <path d={sparklinePath(shown, { width: WIDTH - 2 * EDGE, height: HEIGHT - 2 * EDGE })} />
    </svg>
  );
}
