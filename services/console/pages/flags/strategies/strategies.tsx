import { type ApplicationList, useApplications } from '../../../api/usage/applications.ts';
import { useMay } from '../../../api/caller.ts';
import { useResource } from '../../../api/requests/resource.ts';
import { list } from '#base/words';
import { pathTo } from '../../../state/paths/path.ts';
import type { Strategy } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { hasWords, wordsOf } from '../../../state/search.ts';
import { Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { NewStrategy, StrategyActions } from './actions.tsx';
import { knownToWords, strategiesSentence } from '../../../state/sentences/index.ts';

/** Which strategies exist, and which applications know them. */
export function Strategies() {
  const may = useMay();
  const words = wordsOf(useConsole().router.route.value.query['q'] ?? '');
  const strategies = useResource<{ readonly strategies: readonly Strategy[] }>(pathTo`api/admin/strategies`);
  const applications = useApplications({}).data;
  const all = strategies.data?.strategies ?? [];
  const custom = all.filter(({ editable }) => editable).length;
  return (
    <>
      <Heading page="Strategies" answer={strategies.data && strategiesSentence(all.length, custom)}>
        <Search label="Search strategies by name" />
        <FilterState parameters={['q']} />
        {may('EDIT_STRATEGIES') && <NewStrategy />}
      </Heading>
      <Loaded of={strategies} lines={8}>
        {() => {
          const found = all.filter(({ name }) => hasWords(name.toLowerCase(), words));
          if (found.length === 0) return <Empty>No strategy matches.</Empty>;
          return (
            <Rows
              caption="Strategies"
              columns={columnsOf(applications, may('EDIT_STRATEGIES') && custom > 0)}
              items={found}
              keyOf={({ name }) => name}
            />
          );
        }}
      </Loaded>
    </>
  );
}

function columnsOf(
  applications: ApplicationList | undefined,
  hasActions: boolean,
): readonly Column<Strategy>[] {
  return [
    { id: 'name', title: 'Name', width: '15%', show: ({ name }) => <Name>{name}</Name> },
    {
      id: 'description',
      title: 'Description',
      isWide: true,
      show: ({ description }) => <Name>{description ?? ''}</Name>,
    },
    {
      id: 'parameters',
      title: 'Parameters',
      width: '18%',
      isWide: true,
      show: ({ parameters }) => <Name>{list(parameters.map(({ name }) => name))}</Name>,
    },
    { id: 'state', title: 'State', width: '96px', show: stateOf },
    {
      id: 'applications',
      title: 'Known to',
      width: '136px',
      isNumber: true,
      show: ({ name }) => (applications === undefined ? '–' : knownTo(name, applications)),
    },
    ...(hasActions
      ? [
          {
            id: 'change',
            title: 'Change',
            width: '240px',
            isNumber: true,
            show: (strategy: Strategy) => <StrategyActions strategy={strategy} />,
          },
        ]
      : []),
  ];
}

function stateOf({ editable, deprecated }: Strategy): string {
  if (deprecated) return 'deprecated';
  return editable ? 'custom' : 'built in';
}

function knownTo(strategy: string, { items, nextCursor }: ApplicationList): string {
  const count = items.filter(({ strategies }) => strategies.includes(strategy)).length;
  return knownToWords(count, nextCursor !== null);
}
