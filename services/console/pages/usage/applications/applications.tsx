import { type ApplicationSort, useApplications } from '../../../api/usage/applications.ts';
import { type Covered, type Coverages, useCoverage } from '../../../api/usage/coverage.ts';
import { useMay } from '../../../api/caller.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import type { Application } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { list } from '#base/words';
import { formatCount, formatShare } from '../../../state/format.ts';
import { type Order, parseOrder, sortBy } from '../../../state/order.ts';
import { silentWords } from '../../../state/sentences/index.ts';
import { Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, HiddenVerdicts, Name, Time, VerdictBadges } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Senders } from './senders.tsx';
import { applicationsSentence } from '../../../state/sentences/index.ts';

/** Who reports, and who fell silent. */
export function Applications() {
  const { query } = useConsole().router.route.value;
  const search = (query['q'] ?? '').trim();
  const order = parseOrder(query['sort']);
  const applications = useApplications({ search, sort: sortOf(order) });
  const found = useVerdicts();
  const verdicts = found.data?.verdicts.filter(({ appName }) => appName !== null) ?? [];
  const verdictsOf = (name: string) => verdicts.filter(({ appName }) => appName === name);
  const may = useMay();
  const coverages = useCoverage();
  const columns = columnsOf(verdictsOf, coverages);
  const answer = applications.data && applicationsSentence(applications.data.total, silentWords(found.data));
  return (
    <>
      <Heading page="Applications" answer={answer}>
        <Search label="Search applications by name" />
        <FilterState parameters={['q']} />
      </Heading>
      <HiddenVerdicts of={found.data} />
      <Loaded of={applications} lines={8}>
        {(data) => {
          if (data.items.length === 0)
            return (
              <Empty>
                {data.total === 0
                  ? 'No application has reported yet. Point a relay or an SDK at flagmeter.'
                  : 'No application matches.'}
              </Empty>
            );
          const sorted = sortBy(data.items, order, (item, by) =>
            by === 'seen' ? item.seenAt : by === 'instances' ? item.totalInstances : item.appName,
          );
          return (
            <>
              <Cuts data={data} search={search} coverages={coverages} />
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

type CutsProps = {
  readonly data: {
    readonly items: readonly unknown[];
    readonly total: number;
    readonly nextCursor: string | null;
  };
  readonly search: string;
  readonly coverages: Coverages;
};

function Cuts({ data: { items, total, nextCursor }, search, coverages }: CutsProps) {
  return (
    <>
      {nextCursor !== null && (
        <Cut
          shown={items.length}
          {...(search === '' ? { total } : {})}
          of="applications"
          others="The search finds the others."
        />
      )}
      <Cut
        shown={coverages.read}
        total={coverages.total}
        of="covered shares, those with most time without counts"
        others="Others are on the pages of their applications."
      />
    </>
  );
}

/** The first ones in this order are read. Others are sorted among those. */
function sortOf(order: Order | undefined): ApplicationSort {
  if (order?.by === 'seen') return order.direction === 'up' ? 'seenAt' : '-seenAt';
  return order?.by === 'name' && order.direction === 'down' ? '-appName' : 'appName';
}

function columnsOf(
  verdictsOf: (name: string) => readonly { readonly verdict: string }[],
  coverages: Coverages,
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
      width: '24%',
      isWide: true,
      show: ({ usage }) => <Name>{environmentsOf(usage)}</Name>,
    },
    {
      id: 'sdks',
      title: 'SDKs',
      width: '19%',
      isWide: true,
      show: ({ instances }) => <Name>{sdksOf(instances)}</Name>,
    },
    {
      id: 'instances',
      title: 'Instances',
      width: '80px',
      isNumber: true,
      isSortable: true,
      label: 'instances',
      show: ({ totalInstances }) => <span class="number">{formatCount(totalInstances)}</span>,
    },
    {
      id: 'coverage',
      title: 'Covered',
      width: '80px',
      isNumber: true,
      isWide: true,
      show: ({ appName }) => <CoveredShare of={coverages.of(appName)} />,
    },
    {
      id: 'verdicts',
      title: 'Verdicts',
      width: '150px',
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

/** Only SDKs that post directly say which time they cover. */
function CoveredShare({ of }: { readonly of: Covered | undefined }) {
  if (of === undefined) return null;
  const title = 'Share of the time of its instances whose counts arrived, in the last 24 hours';
  return (
    <span class="number" title={title}>
      {formatShare(of.covered, of.whole)}
    </span>
  );
}

function ApplicationLink({ name }: { readonly name: string }) {
  return (
    <a data-row href={useConsole().router.linkTo('applications', name)}>
      <Name>{name}</Name>
    </a>
  );
}

function environmentsOf(usage: Application['usage']): string {
  return list([...new Set(usage.flatMap(({ environments }) => environments))]);
}

/** Names each SDK once, before its versions. */
function sdksOf(instances: Application['instances']): string {
  const versions = new Map<string, string[]>();
  for (const sdk of new Set(instances.flatMap(({ sdkVersion }) => sdkVersion ?? []))) {
    const name = sdk.slice(0, sdk.lastIndexOf(':') + 1);
    versions.set(name, [...(versions.get(name) ?? []), sdk.slice(name.length)]);
  }
  return list(Array.from(versions, ([name, all]) => name + list(all)));
}
