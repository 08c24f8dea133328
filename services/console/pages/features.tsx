import { useMemo } from 'preact/hooks';
import { byFeature, useFeatures, useVerdicts } from '../api/features.ts';
import type { Feature, Verdict } from '../api/types.ts';
import { useConsole } from '../console.ts';
import { formatPlural } from '../state/format.ts';
import { parseOrder, sortBy } from '../state/order.ts';
import { kindOf } from '../state/verdict-kinds.ts';
import { Choice, Search } from '../ui/filters.tsx';
import { Heading } from '../ui/heading.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Name, Time, VerdictBadges } from '../ui/parts.tsx';
import { type Column, Rows } from '../ui/rows.tsx';

type Item = Feature & { readonly verdicts: readonly Verdict[] };

/** All features, with what the counts say about them. */
export function Features() {
  const { query } = useConsole().router.route.value;
  const features = useFeatures();
  const verdicts = useVerdicts();
  const items = useMemo<readonly Item[]>(() => {
    const known = byFeature(verdicts.data?.verdicts ?? []);
    return (features.data ?? []).map((feature) => ({ ...feature, verdicts: known.get(feature.name) ?? [] }));
  }, [features.data, verdicts.data]);
  const found = useMemo(() => select(items, query), [items, query]);
  const columns = useColumns(items);
  return (
    <>
      <Heading page="Features" answer={features.data && answerOf(items, found)}>
        <Search label="Search features by name" />
        <Choice
          parameter="project"
          label="Project"
          choices={choicesOf(items.map(({ project }) => project))}
        />
        <Choice
          parameter="verdict"
          label="Verdict"
          choices={choicesOf(
            items.flatMap((item) => item.verdicts.map(({ verdict }) => verdict)),
            (verdict) => kindOf(verdict).title,
          )}
        />
      </Heading>
      <Loaded of={features} lines={12}>
        {() => {
          if (items.length === 0)
            return (
              <Empty>
                There is no feature yet. <code>make sample</code> fills flagmeter with a shop to look at.
              </Empty>
            );
          if (found.length === 0) return <Empty>No feature matches. Change the search or the filters.</Empty>;
          return <Rows caption="Features" columns={columns} items={found} keyOf={({ name }) => name} />;
        }}
      </Loaded>
    </>
  );
}

function answerOf(items: readonly Item[], found: readonly Item[]): string {
  if (found.length < items.length) return `${formatPlural(found.length, 'feature')} of ${items.length}`;
  const canGo = items.filter(({ verdicts }) => verdicts.some(({ verdict }) => kindOf(verdict).canGo)).length;
  return `${formatPlural(items.length, 'feature')}${canGo === 0 ? '' : `, ${canGo} can go`}`;
}

function select(items: readonly Item[], query: Readonly<Record<string, string>>): readonly Item[] {
  const { q = '', project = '', verdict = '', sort } = query;
  const text = q.toLowerCase();
  const found = items.filter(
    (item) =>
      item.name.toLowerCase().includes(text) &&
      (project === '' || item.project === project) &&
      (verdict === '' || item.verdicts.some((given) => given.verdict === verdict)),
  );
  return sortBy(found, parseOrder(sort) ?? { by: 'name', direction: 'up' }, (item, by) => {
    if (by === 'project') return item.project;
    if (by === 'type') return item.type;
    if (by === 'created') return item.createdAt;
    if (by === 'verdicts') return item.verdicts.length;
    return item.name;
  });
}

function choicesOf(
  values: readonly string[],
  titleOf = (value: string) => value,
): (readonly [string, string])[] {
  return [...new Set(values)].sort().map((value) => [value, titleOf(value)] as const);
}

function useColumns(items: readonly Item[]): readonly Column<Item>[] {
  const { router } = useConsole();
  const environments = useMemo(
    () => [...new Set(items.flatMap((item) => item.environments.map(({ name }) => name)))].slice(0, 3),
    [items],
  );
  return [
    {
      id: 'name',
      title: 'Name',
      isSortable: true,
      show: ({ name }) => (
        <a data-row href={router.linkTo('features', name)}>
          <Name>{name}</Name>
        </a>
      ),
    },
    {
      id: 'project',
      title: 'Project',
      width: '12%',
      isSortable: true,
      show: ({ project }) => <Name>{project}</Name>,
    },
    {
      id: 'type',
      title: 'Type',
      width: '10%',
      isSortable: true,
      isWide: true,
      show: ({ type }) => <Name>{type}</Name>,
    },
    ...environments.map((environment) => ({
      id: `environment ${environment}`,
      title: environment,
      width: '10%',
      isWide: true,
      show: (item: Item) => <OnOff of={item} environment={environment} />,
    })),
    {
      id: 'verdicts',
      title: 'Verdicts',
      width: '20%',
      isSortable: true,
      show: ({ verdicts }) => <VerdictBadges verdicts={verdicts} />,
    },
    {
      id: 'created',
      title: 'Created',
      width: '160px',
      isNumber: true,
      isSortable: true,
      isWide: true,
      show: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
}

function OnOff({ of, environment }: { readonly of: Feature; readonly environment: string }) {
  const found = of.environments.find(({ name }) => name === environment);
  if (found === undefined) return <span class="muted">–</span>;
  return found.enabled ? <span class="badge on">on</span> : <span class="badge">off</span>;
}
