import { type ApplicationSort, useApplications } from '../../../api/usage/applications.ts';
import { useMay } from '../../../api/caller.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import type { Application } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { formatCount, formatPlural } from '../../../state/format.ts';
import { type Order, parseOrder, sortBy } from '../../../state/order.ts';
import { searchIn } from '../../../ui/lists/search-in.ts';
import { silentWords } from '../../../state/verdicts/silent-words.ts';
import { Search } from '../../../ui/lists/filters.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, Name, Time, VerdictBadges } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Senders } from './senders.tsx';

/** Who reports, and who fell silent. */
export function Applications() {
  const { query } = useConsole().router.route.value;
  const search = searchIn(query);
  const order = parseOrder(query['sort']);
  const applications = useApplications({ search, sort: sortOf(order) });
  const found = useVerdicts();
  const verdicts = found.data?.verdicts.filter(({ appName }) => appName !== null) ?? [];
  const verdictsOf = (name: string) => verdicts.filter(({ appName }) => appName === name);
  const may = useMay();
  const columns = columnsOf(verdictsOf);
  const answer =
    applications.data &&
    `${formatPlural(applications.data.total, 'application reports', 'applications report')}${silentWords(found.data)}`;
  return (
    <>
      <Heading page="Applications" answer={answer}>
        <Search label="Search applications by name" />
      </Heading>
      <Loaded of={applications} lines={8}>
        {(data) => {
          if (data.applications.length === 0)
            return (
              <Empty>
                {data.total === 0
                  ? 'No application has reported yet. Point a relay or an SDK at flagmeter.'
                  : 'No application matches.'}
              </Empty>
            );
          const sorted = sortBy(data.applications, order, (item, by) =>
            by === 'seen' ? item.seenAt : by === 'instances' ? item.totalInstances : item.appName,
          );
          return (
            <>
              {data.isCut && (
                <Cut
                  shown={sorted.length}
                  {...(search === '' ? { total: data.total } : {})}
                  of="applications"
                  others={FIND}
                />
              )}
              <Rows
                caption="Applications"
                columns={columns}
                items={sorted}
                keyOf={({ appName }) => appName}
              />
            </>
          );
        }}
      </Loaded>
      {may('MANAGE_TOKENS', 'anywhere') && <Senders />}
    </>
  );
}

const FIND = 'The search finds the others.';

/** The first ones in this order are read. Others are sorted among those. */
function sortOf(order: Order | undefined): ApplicationSort {
  if (order?.by === 'seen') return order.direction === 'up' ? 'seenAt' : '-seenAt';
  return order?.by === 'name' && order.direction === 'down' ? '-appName' : 'appName';
}

function columnsOf(
  verdictsOf: (name: string) => readonly { readonly verdict: string }[],
): readonly Column<Application>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      isSortable: true,
      show: ({ appName }) => <ApplicationLink name={appName} />,
    },
    {
      id: 'environments',
      title: 'Environments',
      width: '23%',
      isWide: true,
      show: ({ usage }) => <Name>{environmentsOf(usage)}</Name>,
    },
    {
      id: 'sdks',
      title: 'SDKs',
      width: '31%',
      isWide: true,
      show: ({ instances }) => <Name>{sdksOf(instances)}</Name>,
    },
    {
      id: 'instances',
      title: 'Instances',
      width: '88px',
      isNumber: true,
      isSortable: true,
      label: 'instances',
      show: ({ totalInstances }) => <span class="number">{formatCount(totalInstances)}</span>,
    },
    {
      id: 'verdicts',
      title: 'Verdicts',
      width: '13%',
      show: ({ appName }) => <VerdictBadges verdicts={verdictsOf(appName)} />,
    },
    {
      id: 'seen',
      title: 'Last seen',
      width: '148px',
      isNumber: true,
      isSortable: true,
      show: ({ seenAt }) => <Time at={seenAt} />,
    },
  ];
}

function ApplicationLink({ name }: { readonly name: string }) {
  return (
    <a data-row href={useConsole().router.linkTo('applications', name)}>
      <Name>{name}</Name>
    </a>
  );
}

function environmentsOf(usage: Application['usage']): string {
  return [...new Set(usage.flatMap(({ environments }) => environments))].join(', ');
}

function sdksOf(instances: Application['instances']): string {
  const sdks = instances.flatMap(({ sdkVersion }) => (sdkVersion === null ? [] : [sdkVersion]));
  return [...new Set(sdks)].join(', ');
}
