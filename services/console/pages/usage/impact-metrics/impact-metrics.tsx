import { useImpactMetrics } from '../../../api/usage/impact.ts';
import { useConsole } from '../../../console.ts';
import { formatCount } from '../../../state/format.ts';
import type { ImpactMetric } from '../../../types.ts';
import { say } from '#base/words';
import { wordsOf } from '../../../state/search.ts';
import { FirstImpactMetric } from '../../../ui/first-impact-metric.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Search } from '../../../ui/lists/filters.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Age, Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name } from '../../../ui/parts.tsx';
import {
  impactMetricsSentence,
  lastDayWords,
  namesWords,
  observationsWords,
} from '../../../state/sentences/index.ts';
import { isFound } from './metric-rows.ts';

/** What applications measure, who sends it, and which flags it tells apart. */
export function ImpactMetrics() {
  const metrics = useImpactMetrics({});
  const words = wordsOf(useConsole().router.route.value.query['q'] ?? '');
  return (
    <>
      <Heading page="Impact metrics" answer={metrics.data && impactMetricsSentence(metrics.data)}>
        <Search label="Search impact metrics by name, application or flag" />
        <FilterState parameters={['q']} />
      </Heading>
      <Loaded of={metrics} lines={8}>
        {({ impactMetrics, total }) => {
          if (total === 0) return <FirstImpactMetric />;
          const found = impactMetrics.filter((metric) => isFound(metric, words));
          return (
            <>
              <Cut shown={impactMetrics.length} total={total} of="impact metrics, by name" />
              {found.length === 0 && <Empty>No impact metric matches.</Empty>}
              <Rows
                caption="Impact metrics"
                columns={COLUMNS}
                items={found}
                keyOf={({ metric, type, environment }) => JSON.stringify([metric, type, environment])}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const COLUMNS: readonly Column<ImpactMetric>[] = [
  {
    id: 'metric',
    title: 'Metric',
    show: ({ metric, help }) => <Name whole={help === '' ? metric : say`${metric}: ${help}`}>{metric}</Name>,
  },
  { id: 'type', title: 'Type', width: '88px', show: ({ type }) => type },
  {
    id: 'environment',
    title: 'Environment',
    width: '112px',
    isWide: true,
    show: ({ environment }) => <Name>{environment}</Name>,
  },
  {
    id: 'applications',
    title: 'Sent by',
    width: '14%',
    isWide: true,
    show: ({ applications, totalApplications }) => <Name>{namesWords(applications, totalApplications)}</Name>,
  },
  { id: 'features', title: 'Flags', width: '33%', show: (metric) => <Flags of={metric} /> },
  {
    id: 'series',
    title: 'Series',
    width: '72px',
    isNumber: true,
    isWide: true,
    show: ({ series }) => <span class="number">{formatCount(series)}</span>,
  },
  {
    id: 'value',
    title: 'In 24 h',
    width: '104px',
    isNumber: true,
    label: 'in 24 h',
    show: (metric) => (
      <span
        class="number"
        {...(metric.type === 'histogram' ? { title: observationsWords(metric.observations) } : {})}
      >
        {lastDayWords(metric)}
      </span>
    ),
  },
  {
    id: 'seen',
    title: 'Last seen',
    width: '88px',
    isNumber: true,
    isWide: true,
    show: ({ lastHour }) => <Age since={Date.parse(lastHour)} />,
  },
];

/** Links to the flags whose arms the labels of a metric tell apart. */
function Flags({ of: { features, totalFeatures } }: { readonly of: ImpactMetric }) {
  const { router } = useConsole();
  if (totalFeatures === 0) return <span class="muted">none</span>;
  return (
    <span class="links" title={namesWords(features, totalFeatures)}>
      {features.map((feature) => (
        <a key={feature} data-row href={router.linkTo('features', feature)}>
          <Name>{feature}</Name>
        </a>
      ))}
      {totalFeatures > features.length && <span class="muted">and others</span>}
    </span>
  );
}
