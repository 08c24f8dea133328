import { useFlagDebt } from '../../../api/advice/clean-ups.ts';
import { formatCount, formatShare } from '../../../state/format.ts';
import type { FlagDebt } from '../../../types.ts';
import { Chart } from '../../../ui/chart/chart.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Section } from '../../../ui/parts.tsx';
import { debtCharts } from './debt-charts.ts';

type Group = FlagDebt['groups'][number];

/** What flags that should go cost, over time and by project and owner. */
export function Debt() {
  const debt = useFlagDebt();
  return (
    <Section title="Debt in 90 days">
      <Loaded of={debt} lines={8}>
        {({ days, groups, totalGroups }) => {
          if (days.length === 0) return <Empty>The debt is computed each ten minutes.</Empty>;
          const { flags, evaluations } = debtCharts(days);
          return (
            <>
              <h3>Flags</h3>
              <Chart title="Overdue flags" kind="area" data={flags} zone="UTC" />
              <h3>Evaluations</h3>
              <Chart title="Evaluations that decide nothing" kind="area" data={evaluations} zone="UTC" />
              <Cut shown={groups.length} total={totalGroups} of="projects and owners, the largest ones" />
              <Rows
                caption="Debt by project and owner"
                columns={COLUMNS}
                items={groups}
                keyOf={({ project, owner }) => JSON.stringify([project, owner])}
              />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { id: 'project', title: 'Project', show: ({ project }) => <Name>{project}</Name> },
  {
    id: 'owner',
    title: 'Owner',
    width: '30%',
    show: ({ owner }) => owner !== null && <Name>{owner}</Name>,
  },
  {
    id: 'overdue',
    title: 'Overdue',
    width: '120px',
    isNumber: true,
    label: 'overdue',
    show: ({ overdueFlags, flags }) => (
      <span class="number">
        {formatCount(overdueFlags)} <span class="muted">of {formatCount(flags)}</span>
      </span>
    ),
  },
  {
    id: 'constant',
    title: 'Decide nothing',
    width: '200px',
    isNumber: true,
    label: 'evaluations decide nothing',
    show: ({ constantEvaluations, evaluations }) => (
      <span class="number">
        {formatCount(constantEvaluations)}{' '}
        <span class="muted">{formatShare(constantEvaluations, evaluations)}</span>
      </span>
    ),
  },
];
