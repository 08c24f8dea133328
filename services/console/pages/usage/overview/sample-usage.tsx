import { useUsage } from '../../../api/usage/usage.ts';
import { usageChart } from '../../../state/chart/usage.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/parts.tsx';

const ALL = {};

/** The evaluations of the sample, which no one received: the throughput of the last hour would be empty. */
export function SampleUsage() {
  return (
    <Section title="Evaluations of the sample">
      <Loaded of={useUsage(ALL)} lines={8}>
        {(usage) => (
          <Chart
            title="Evaluations of the sample"
            kind="area"
            data={usageChart(usage)}
            {...(usage.zone === undefined ? {} : { zone: usage.zone })}
          />
        )}
      </Loaded>
    </Section>
  );
}
