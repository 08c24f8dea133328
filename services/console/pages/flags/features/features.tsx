import { useMemo } from 'preact/hooks';
import { useMay } from '../../../api/caller.ts';
import { DialogButton } from '../../../ui/dialogs/dialog-button.tsx';
import { Later } from '../../later.tsx';
import { useFeatureList } from './read-features.ts';
import { byFeature, useVerdicts } from '../../../api/flags/features.ts';
import { useConsole } from '../../../console.ts';
import { parseOrder } from '../../../state/order.ts';
import { kindOf } from '../../../state/verdicts/verdict-kinds.ts';
import { Choice, Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading, WindowControl } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, HiddenVerdicts } from '../../../ui/parts.tsx';
import { Rows } from '../../../ui/lists/rows.tsx';
import { useColumns } from './columns.tsx';
import { FILTERS, type Item, filterItems, isUnseenFor, itemsOf, sortItems } from './select.ts';
import { SharedContext, useNewShared } from './shared.ts';
import { featuresSentence } from '../../../state/sentences/first-pages.ts';

/** All features: where they are on, how much they are evaluated, and what the counts say about them. */
export function Features() {
  const { router } = useConsole();
  const { query } = router.route.value;
  const list = useFeatureList();
  const verdicts = useVerdicts();
  const shared = useNewShared();
  const items = useMemo(
    () => itemsOf(list.data?.items ?? [], byFeature(verdicts.data?.verdicts ?? [])),
    [list.data, verdicts.data],
  );
  const sorted = useMemo(() => sortItems(items, parseOrder(query['sort'])), [items, query['sort']]);
  const found = filterItems(sorted, query, shared.favorites.has);
  const columns = useColumns(items);
  const isWhole = list.data?.nextCursor === null;
  return (
    <SharedContext.Provider value={shared}>
      <Heading page="Features" answer={isWhole ? answerOf(items, found) : undefined}>
        <WindowControl />
        <a href={router.linkTo('archived')}>Archived</a>
        <NewFeature />
      </Heading>
      <Filters items={items} />
      <HiddenVerdicts of={verdicts.data} />
      <Loaded of={list} lines={12}>
        {() => {
          if (items.length === 0)
            return (
              <Empty>
                There is no feature yet. <code>make sample</code> fills flagmeter with a shop to look at.
              </Empty>
            );
          if (found.length === 0)
            return (
              <Empty>
                {isWhole ? 'No feature matches. Change the search or the filters.' : 'Searching …'}
              </Empty>
            );
          return <Rows caption="Features" columns={columns} items={found} keyOf={({ name }) => name} />;
        }}
      </Loaded>
    </SharedContext.Provider>
  );
}

/** Its form is in the second script, as most readers look only. */
function NewFeature() {
  if (!useMay()('CREATE_FEATURE', 'anywhere')) return null;
  return (
    <DialogButton label="New flag">
      {(close) => <Later>{({ NewFeatureDialog }) => <NewFeatureDialog onClose={close} />}</Later>}
    </DialogButton>
  );
}

function answerOf(items: readonly Item[], found: readonly Item[]): string {
  const now = Date.now();
  return featuresSentence({
    all: items.length,
    found: found.length,
    notEvaluated: items.filter((item) => isUnseenFor(30, item, now)).length,
  });
}

const ONLY = [
  ['favourites', 'Favourites'],
  ['stale', 'Stale'],
  ['active', 'Not stale'],
] as const;

const SEEN = [
  ['24h', 'Evaluated in 24 h'],
  ['not-7d', 'Not evaluated for 7 d'],
  ['not-30d', 'Not evaluated for 30 d'],
  ['never', 'Never evaluated'],
] as const;

function Filters({ items }: { readonly items: readonly Item[] }) {
  const choices = useMemo(
    () => ({
      projects: choicesOf(items.map(({ project }) => project)),
      types: choicesOf(items.map(({ type }) => type)),
      owners: choicesOf(items.flatMap(({ owner }) => owner ?? [])),
      tags: choicesOf(items.flatMap(({ tags }) => tags)),
      verdicts: choicesOf(
        items.flatMap((item) => item.verdicts.map(({ verdict }) => verdict)),
        (verdict) => kindOf(verdict).title,
      ),
    }),
    [items],
  );
  return (
    <div class="controls filters">
      <Search label="Search features by name, description, owner or tag" />
      <Choice parameter="project" label="Project" choices={choices.projects} />
      <Choice parameter="type" label="Type" choices={choices.types} />
      {choices.owners.length > 0 && <Choice parameter="owner" label="Owner" choices={choices.owners} />}
      {choices.tags.length > 0 && <Choice parameter="tag" label="Tag" choices={choices.tags} />}
      <Choice parameter="verdict" label="Verdict" choices={choices.verdicts} />
      <Choice parameter="seen" label="Last seen" choices={SEEN} />
      <Choice parameter="only" label="Show" choices={ONLY} />
      <FilterState parameters={FILTERS} />
    </div>
  );
}

function choicesOf(
  values: readonly string[],
  titleOf = (value: string) => value,
): (readonly [string, string])[] {
  return [...new Set(values)].sort().map((value) => [value, titleOf(value)] as const);
}
