import type { Resource } from '../../../../api/requests/resource.ts';
import type { Event } from '../../../../types.ts';
import { useConsole } from '../../../../console.ts';
import type { Mark } from '../../../../state/chart/marks.ts';
import { usageChart } from '../../../../state/chart/usage.ts';
import { eventVerb, rolloutChange } from '../../../../state/events/event-words.ts';
import { formatMinute } from '../../../../state/time/range.ts';
import type { Usage } from '../../../../state/usage.ts';
import { say, isolate } from '#base/words';
import { Chart } from '../../../../ui/chart/chart.tsx';
import { Loaded } from '../../../../ui/loaded.tsx';
import { Section } from '../../../../ui/parts.tsx';

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

/** Who did what, in the words of the list of events. */
export function marksOf(events: readonly Event[]): Mark[] {
  return events.map((event) => {
    const { featureName, environment, createdAt, createdBy } = event;
    const place = environment === null ? '' : say`in ${environment}`;
    const words = [
      isolate(createdBy),
      eventVerb(event),
      featureName === null ? '' : isolate(featureName),
      place,
      rolloutChange(event),
    ];
    return { at: Date.parse(createdAt), title: words.filter(Boolean).join(' ') };
  });
}
