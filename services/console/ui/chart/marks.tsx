import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Mark, groupMarks } from '../../state/chart/marks.ts';
import { type Zone, formatTime } from '../../state/format.ts';
import { Isolated } from '../parts.tsx';
import { Tooltip } from './tooltip.tsx';

type Props = {
  readonly marks: readonly Mark[];
  /** The times at both edges of the plot, in epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Width of the plot in CSS pixels. */
  readonly width: number;
  readonly zone: Zone;
};

/** Dots that are nearer than this to each other are one. */
const TOUCHING_PX = 14;

/** Vertical lines with a dot at their top. The pointer or the focus on a dot shows what happened. */
export function Marks({ marks, from, to, width, zone }: Props) {
  const [open, setOpen] = useState<number>();
  const inside = marks.filter(({ at }) => at >= from && at < to);
  const groups = groupMarks(inside, (TOUCHING_PX / Math.max(1, width)) * (to - from));
  return (
    <>
      {groups.map(({ at, marks: found }) => {
        const left = ((at - from) / (to - from)) * width;
        const lines = found.map((mark) => `${formatTime(mark.at, zone)} ${mark.title}`);
        return (
          <Fragment key={at}>
            <button
              type="button"
              class="mark"
              style={{ left: `${left}px` }}
              aria-label={lines.join('; ')}
              onPointerEnter={() => {
                setOpen(at);
              }}
              onPointerLeave={() => {
                setOpen(undefined);
              }}
              onFocus={() => {
                setOpen(at);
              }}
              onBlur={() => {
                setOpen(undefined);
              }}
            />
            {open === at && (
              <Tooltip left={left} width={width}>
                <Lines>{lines}</Lines>
              </Tooltip>
            )}
          </Fragment>
        );
      })}
    </>
  );
}

function Lines({ children }: { readonly children: readonly string[] }): ComponentChildren {
  return children.map((line) => (
    <p key={line}>
      <Isolated>{line}</Isolated>
    </p>
  ));
}
