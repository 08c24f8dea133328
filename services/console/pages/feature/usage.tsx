import type { Resource } from '../../api/resource.ts';
import type { Event } from '../../api/types.ts';
import { useConsole } from '../../console.ts';
import type { ChartData } from '../../state/chart/counts.ts';
import { totalsOf } from '../../state/chart/counts.ts';
import type { Mark } from '../../state/chart/marks.ts';
import { formatMinute } from '../../state/range.ts';
import type { Usage } from '../../state/usage.ts';
import { Chart } from '../../ui/chart/chart.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/parts.tsx';

type Props = { readonly usage: Resource<Usage>; readonly events: readonly Event[] };

/** Yes over no in the window, with the window before and the events of the feature. */
export function FeatureUsage({ usage, events }: Props) {
  const { router } = useConsole();
  return (
    <Section title="Evaluations">
      <Loaded of={usage} lines={8}>
        {(data) => (
          <Chart
            title="Evaluations"
            kind="area"
            data={chartOf(data)}
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

function chartOf({ starts, end, completeUntil, series, previous }: Usage): ChartData {
  const [all] = series;
  const before = previous?.flatMap(({ yes, no }) => [{ counts: yes }, { counts: no }]);
  return {
    ...{ starts, end, completeUntil },
    series: [
      { id: 'yes', title: 'yes', tone: 'yes', counts: all?.yes ?? [] },
      { id: 'no', title: 'no', tone: 'no', counts: all?.no ?? [] },
    ],
    previous: before && totalsOf(before, starts.length),
  };
}

/** Who did what, in the words of the list of events. */
export function marksOf(events: readonly Event[]): Mark[] {
  return events.map(({ type, environment, createdAt, createdBy }) => ({
    at: Date.parse(createdAt),
    title: `${type.replaceAll('-', ' ')}${environment === null ? '' : ` in ${environment}`} by ${createdBy}`,
  }));
}
