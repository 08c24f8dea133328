import { type EventFilter, useEventPage } from '../../../api/events.ts';
import type { Event } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { EventSubject } from '../../../ui/lists/event-list.tsx';
import { Choice, Search } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Pages } from '../../../ui/lists/pages.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Details } from './details.tsx';
import { eventsSentence } from '../../../state/sentences/index.ts';

/** The search of the server needs this many characters. */
const MIN_SEARCH = 3;

/** Who changed what, in pages. */
export function Events() {
  const { router } = useConsole();
  const { q = '', type = '', feature = '', before = '' } = router.route.value.query;
  const search = q.trim();
  const filter = { search: search.length < MIN_SEARCH ? '' : search, type, feature, cursor: before };
  const events = useEventPage(filter);
  return (
    <>
      <Heading page="Events" answer={events.data && answerOf(events.data.items, filter)}>
        <Search label="Search event, feature or person: three letters or more" />
        <Choice parameter="type" label="Event" choices={typesIn(events.data?.items ?? [], type)} />
        <FilterState parameters={['q', 'type', 'feature']} />
      </Heading>
      <Loaded of={events} lines={12}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <Empty>{isAny(filter) ? 'Nothing was changed yet.' : 'No change matches.'}</Empty>
            ) : (
              <Rows caption="Events" columns={COLUMNS} items={items} keyOf={({ id }) => String(id)} />
            )}
            <Pages parameter="before" first="Newest" next={['Older', nextCursor]} />
          </>
        )}
      </Loaded>
    </>
  );
}

function answerOf([latest, ...others]: readonly Event[], filter: EventFilter): string {
  return eventsSentence({
    listed: others.length + 1,
    isFiltered: !isAny(filter),
    age: latest && Date.now() - Date.parse(latest.createdAt),
  });
}

function isAny({ search, type, feature, cursor }: EventFilter): boolean {
  return [search, type, feature, cursor].every((value) => value === '');
}

/** The types on this page, and the chosen one. */
function typesIn(events: readonly Event[], chosen: string): (readonly [string, string])[] {
  const types = new Set(events.map(({ type }) => type));
  if (chosen !== '') types.add(chosen);
  return [...types].sort().map((type) => [type, type.replaceAll('-', ' ')]);
}

const COLUMNS: readonly Column<Event>[] = [
  { id: 'type', title: 'Event', show: ({ type }) => type.replaceAll('-', ' ') },
  { id: 'subject', title: 'What', width: '22%', show: (event) => <EventSubject of={event} /> },
  {
    id: 'environment',
    title: 'Environment',
    width: '10%',
    isWide: true,
    show: ({ environment }) => <Name>{environment ?? ''}</Name>,
  },
  { id: 'who', title: 'Who', width: '15%', show: ({ createdBy }) => <Name>{createdBy}</Name> },
  { id: 'time', title: 'Time', width: '150px', show: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: 'details',
    title: 'Change',
    width: '96px',
    isNumber: true,
    show: (event) => <Details of={event} />,
  },
];
