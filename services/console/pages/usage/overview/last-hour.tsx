import { useMemo } from 'preact/hooks';
import { useThroughput } from './read-throughput.ts';
import type { Throughput } from '../../../types.ts';
import type { ChartData } from '../../../state/chart/counts.ts';
import { resultSeries } from '../../../state/chart/usage.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/parts.tsx';

const MINUTE_MS = 60_000;

/** Evaluations that were stored in each minute of the last hour. */
export function LastHour() {
  const throughput = useThroughput();
  const data = useMemo(() => throughput.data && chartDataOf(throughput.data), [throughput.data]);
  return (
    <Section title="Last hour: evaluations stored per minute">
      <Loaded of={throughput} lines={8}>
        {() => data && <Chart title="Evaluations stored per minute" kind="area" data={data} />}
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
