import { useFeatureImpact, useImpactMetrics, useImpactSeries } from '../../../../api/usage/impact.ts';
import { useConsole } from '../../../../console.ts';
import { formatMinute } from '../../../../state/time/range.ts';
import type { Event, ImpactComparison } from '../../../../types.ts';
import { comparisonSentence, comparisonTitle, linesSentence } from '../../../../state/sentences/index.ts';
import { Chart } from '../../../../ui/chart/chart.tsx';
import { FirstImpactMetric } from '../../../../ui/first-impact-metric.tsx';
import { Cut } from '../../../../ui/lists/cut.tsx';
import { Loaded } from '../../../../ui/loaded.tsx';
import { Empty, Section, Time, Isolated } from '../../../../ui/parts.tsx';
import { marksOf } from '../../../../state/events/event-marks.ts';
import { ImpactArms } from './arms.tsx';
import { chosenOf, impactChart, keyOf, titleOf } from './comparisons.ts';

type Props = {
  readonly feature: string;
  readonly environment: string | undefined;
  readonly events: readonly Event[];
};

/** What the arms of the feature did to purchases, errors or response times. */
export function FeatureImpact({ feature, environment, events }: Props) {
  const impact = useFeatureImpact(feature, environment);
  const key = useConsole().router.route.value.query['impact'];
  return (
    <Section title="Impact">
      <Loaded of={impact} lines={8}>
        {({ comparisons, total }) => {
          const chosen = chosenOf(comparisons, key);
          if (chosen === undefined) return <NoImpact feature={feature} />;
          return (
            <>
              <Cut shown={comparisons.length} total={total} of="comparisons" />
              <MetricChoice comparisons={comparisons} chosen={chosen} />
              <Compared feature={feature} comparison={chosen} events={events} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

type ChoiceProps = {
  readonly comparisons: readonly ImpactComparison[];
  readonly chosen: ImpactComparison;
};

function MetricChoice({ comparisons, chosen }: ChoiceProps) {
  const { router } = useConsole();
  return (
    <p class="impact-metric">
      <select
        aria-label="Impact metric"
        value={keyOf(chosen)}
        onChange={(event) => {
          router.change({ impact: event.currentTarget.value });
        }}
      >
        {comparisons.map((comparison) => (
          <option key={keyOf(comparison)} value={keyOf(comparison)}>
            {titleOf(comparison, comparisons)}
          </option>
        ))}
      </select>{' '}
      <Isolated>{comparisonSentence(chosen)}</Isolated>
    </p>
  );
}

type ComparedProps = {
  readonly feature: string;
  readonly comparison: ImpactComparison;
  readonly events: readonly Event[];
};

function Compared({ feature, comparison, events }: ComparedProps) {
  const { router } = useConsole();
  const series = useImpactSeries(feature, comparison);
  return (
    <>
      <Loaded of={series} lines={8}>
        {(data) => (
          <Chart
            title={comparisonTitle(comparison)}
            kind="lines"
            data={impactChart(data, comparison)}
            marks={marksOf(events)}
            onRange={(from, to) => {
              router.change({ from: formatMinute(from), to: formatMinute(to) });
            }}
            {...(data.interval === 'hour' ? {} : { zone: data.timezone === 'UTC' ? 'UTC' : 'local' })}
          />
        )}
      </Loaded>
      <ImpactArms comparison={comparison} />
      <Limits type={comparison.type} />
    </>
  );
}

/** What the numbers can say, and what they cannot. */
function Limits({ type }: Pick<ImpactComparison, 'type'>) {
  return (
    <p class="muted">
      {linesSentence(type)} Evaluations, not people: who evaluates the flag often counts often. Ratio,
      interval and p compare with the control and take each event as independent, so they fit counts of
      events, not sums of money. They hold for a time that you chose before you looked.
    </p>
  );
}

function NoImpact({ feature }: Pick<Props, 'feature'>) {
  const metrics = useImpactMetrics({ feature }).data?.impactMetrics ?? [];
  const last = metrics.toSorted((one, other) => (one.lastHour < other.lastHour ? 1 : -1))[0];
  if (last !== undefined)
    return (
      <Empty>
        No counter or histogram named this flag in this time and environment.{' '}
        <Isolated>{last.metric}</Isolated> did in <Isolated>{last.environment}</Isolated>, last{' '}
        <Time at={last.lastHour} />.
      </Empty>
    );
  return <FirstImpactMetric feature={feature} />;
}
