import type { Resource } from '../../../../api/requests/resource.ts';
import type { Event } from '../../../../types.ts';
import { useConsole } from '../../../../console.ts';
import { usageChart } from '../../../../state/chart/usage.ts';
import { marksOf } from '../../../../state/events/event-marks.ts';
import { formatMinute } from '../../../../state/time/range.ts';
import type { Usage } from '../../../../state/usage.ts';
import { Chart } from '../../../../ui/chart/chart.tsx';
import { Loaded } from '../../../../ui/loaded.tsx';
import { Section } from '../../../../ui/parts.tsx';

type Props = { readonly usage: Resource<Usage>; readonly events: readonly Event[] };

/** Yes over no in the window, with the window before and the events of the feature. */
export function FeatureUsage({ usage, events }: Props) {
  const { router } = useConsole();
  return (
    <Section
      title={
        usage.data?.interval === 'minute' ? 'Evaluations by the minute in which they arrived' : 'Evaluations'
      }
    >
      <Loaded of={usage} lines={8}>
        {(data) => (
          <Chart
            title="Evaluations"
            kind="area"
            data={usageChart(data)}
            marks={marksOf(events)}
            onRange={(from, to) => {
              router.change({ from: formatMinute(from), to: formatMinute(to) });
            }}
            {...(data.zone === undefined ? {} : { zone: data.zone })}
          />
        )}
      </Loaded>
    </Section>
  );
}
