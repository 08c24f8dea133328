import { reviveChange } from '../../../api/advice/clean-up.ts';
import { useResource } from '../../../api/requests/resource.ts';
import { useConsole } from '../../../console.ts';
import { EVERY } from '../../../state/may.ts';
import type { Feature } from '../../../types.ts';
import { ChangeButton } from '../../../ui/dialogs/change-button.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Search } from '../../../ui/lists/filters.tsx';
import { Pages } from '../../../ui/lists/pages.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { pathTo } from '../../../state/paths/path.ts';
import { say } from '#base/words';
import { archivedSentence } from '../../../state/sentences/index.ts';

type Page = { readonly items: readonly Feature[]; readonly nextCursor: string | null };

/** Which flags were archived, in pages, and the way back. */
export function Archived() {
  const { q = '', after = '' } = useConsole().router.route.value.query;
  const search = q.trim();
  const query = new URLSearchParams({
    archived: 'true',
    ...(search === '' ? {} : { search }),
    ...(after === '' ? {} : { cursor: after }),
  });
  const page = useResource<Page>(pathTo`api/admin/search/features?${query}`);
  return (
    <>
      <Heading page="Archived flags" answer={page.data && answerOf(page.data, after === '')}>
        <Search label="Search archived flags" />
        <FilterState parameters={['q']} />
      </Heading>
      <Loaded of={page} lines={8}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <Empty>{search === '' ? 'No flag is archived.' : 'No archived flag matches.'}</Empty>
            ) : (
              <Rows caption="Archived flags" columns={COLUMNS} items={items} keyOf={({ name }) => name} />
            )}
            <Pages parameter="after" first="First" next={['More', nextCursor]} />
          </>
        )}
      </Loaded>
    </>
  );
}

function answerOf({ items, nextCursor }: Page, isFirst: boolean): string {
  return archivedSentence(items.length, isFirst && nextCursor === null);
}

const COLUMNS: readonly Column<Feature>[] = [
  { id: 'name', title: 'Name', show: (feature) => <Link of={feature} /> },
  { id: 'project', title: 'Project', width: '18%', show: ({ project }) => <Name>{project}</Name> },
  {
    id: 'owner',
    title: 'Owner',
    width: '18%',
    isWide: true,
    show: ({ owner }) => owner !== null && <Name>{owner}</Name>,
  },
  {
    id: 'archived',
    title: 'Archived',
    width: '152px',
    show: ({ archivedAt }) => archivedAt !== null && <Time at={archivedAt} />,
  },
  {
    id: 'revive',
    title: 'Change',
    width: '112px',
    isNumber: true,
    show: (feature) => <Revive of={feature} />,
  },
];

function Link({ of: { name } }: { readonly of: Feature }) {
  return (
    <a data-row href={useConsole().router.linkTo('features', name)}>
      <Name>{name}</Name>
    </a>
  );
}

/** Only Unleash can revive its own. */
function Revive({ of: { name, project, source } }: { readonly of: Feature }) {
  if (source === 'unleash') return <span class="muted">in Unleash</span>;
  return (
    <ChangeButton
      needs="UPDATE_FEATURE"
      where={{ project, environment: EVERY }}
      change={reviveChange(name)}
      done={say`${name} is active, and off in every environment.`}
      label={say`Revive ${name}`}
    >
      Revive
    </ChangeButton>
  );
}
