import { useMemo } from 'preact/hooks';
import { useThroughput } from './read-throughput.ts';
import { useConsole } from '../../../console.ts';
import type { Event, Throughput } from '../../../types.ts';
import type { ChartData } from '../../../state/chart/counts.ts';
import { resultSeries } from '../../../state/chart/usage.ts';
import { marksOf } from '../../../state/events/event-marks.ts';
import { windowOf } from '../../../state/time/window.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/parts.tsx';

const MINUTE_MS = 60_000;

/** Evaluations that were stored in each minute, and the changes of configurations: of the last hour if that is chosen, else of the last day. */
export function LastMinutes({ changes }: { readonly changes: readonly Event[] }) {
  const isHour = windowOf(useConsole().router.route.value.query['window']).hours === 1;
  const throughput = useThroughput(isHour ? 1 : 24);
  const data = useMemo(() => throughput.data && chartDataOf(throughput.data), [throughput.data]);
  return (
    <Section
      title={isHour ? 'Last hour: evaluations stored per minute' : 'Last day: evaluations stored per minute'}
    >
      <Loaded of={throughput} lines={8}>
        {() =>
          data && (
            <Chart
              title="Evaluations stored per minute"
              kind="area"
              data={data}
              marks={marksOf(changes.filter(({ environment }) => environment !== null))}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function chartDataOf({ at, minutes }: Throughput): ChartData {
  const starts = minutes.map(({ start }) => Date.parse(start));
  return {
    starts,
    end: (starts.at(-1) ?? Date.parse(at)) + MINUTE_MS,
    completeUntil: Date.parse(at),
    series: resultSeries({
      yes: minutes.map(({ yes }) => yes),
      no: minutes.map(({ no }) => no),
      unknown: minutes.map(({ unknown }) => unknown),
    }),
  };
}
