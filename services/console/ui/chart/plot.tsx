import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { type PlotEvents, optionsOf } from './options.ts';
import { type View, plotDataOf } from './view.ts';

type Props = PlotEvents & { readonly view: View };

/** The canvas of a chart. It follows the size of its element, which CSS gives. */
export function Plot({ view, ...events }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const current = useRef({ view, events });
  current.current = { view, events };
  const hasRange = events.onRange !== undefined;
  // uPlot takes the number of its series and their shape when it is created.
  const shape = `${view.kind} ${view.data.series.length} ${hasRange}`;
  useLayoutEffect(() => {
    const { current: parent } = element;
    if (parent === null) return undefined;
    const options = optionsOf(() => current.current.view, {
      onPoint(point) {
        current.current.events.onPoint(point);
      },
      onPlace(place) {
        current.current.events.onPlace(place);
      },
      onRange: hasRange ? (from, to) => current.current.events.onRange?.(from, to) : undefined,
    });
    const created = new uPlot({ ...options, ...sizeOf(parent) }, plotDataOf(current.current.view), parent);
    plot.current = created;
    const sizes = new ResizeObserver(() => {
      created.setSize(sizeOf(parent));
    });
    sizes.observe(parent);
    return () => {
      sizes.disconnect();
      created.destroy();
    };
  }, [shape, hasRange]);
  useEffect(() => {
    plot.current?.setData(plotDataOf(view));
  }, [view]);
  return <div ref={element} class="plot" aria-hidden="true" />;
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement): { width: number; height: number } {
  return { width: clientWidth, height: clientHeight };
}
