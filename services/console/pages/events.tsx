import { useEvents } from '../api/events.ts';
import { useLive } from '../api/use-live.ts';
import type { Event } from '../api/types.ts';
import { useConsole } from '../console.ts';
import { formatPlural } from '../state/format.ts';
import type { Router } from '../state/router.ts';
import { Search } from '../ui/filters.tsx';
import { Heading } from '../ui/heading.tsx';
import { LiveMark } from '../ui/live-mark.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Name, Time } from '../ui/parts.tsx';
import { type Column, Rows } from '../ui/rows.tsx';

/** Who changed what. */
export function Events() {
  const { router } = useConsole();
  const events = useEvents(useLive().step);
  const text = (router.route.value.query['q'] ?? '').toLowerCase();
  return (
    <>
      <Heading
        page="Events"
        answer={
          events.data && `${formatPlural(events.data.totalEvents, 'change was', 'changes were')} recorded`
        }
      >
        <LiveMark />
        <Search label="Search the newest events" />
      </Heading>
      <Loaded of={events} lines={12}>
        {({ events: all }) => {
          const found = all.filter(({ type, createdBy, featureName }) =>
            [type, createdBy, featureName ?? ''].some((value) => value.toLowerCase().includes(text)),
          );
          if (found.length === 0)
            return (
              <Empty>
                {all.length === 0 ? 'Nothing was changed yet.' : 'None of the newest events matches.'}
              </Empty>
            );
          return (
            <Rows
              caption="The newest events"
              columns={columnsOf(router)}
              items={found}
              keyOf={({ id }) => String(id)}
            />
          );
        }}
      </Loaded>
    </>
  );
}

function columnsOf(router: Router): readonly Column<Event>[] {
  return [
    { id: 'type', title: 'Event', show: ({ type }) => type.replaceAll('-', ' ') },
    { id: 'time', title: 'Time', width: '160px', show: ({ createdAt }) => <Time at={createdAt} /> },
    { id: 'who', title: 'Who', width: '22%', show: ({ createdBy }) => <Name>{createdBy}</Name> },
    {
      id: 'feature',
      title: 'Feature',
      width: '26%',
      show: ({ featureName }) =>
        featureName !== null && (
          <a data-row href={router.linkTo('features', featureName)}>
            <Name>{featureName}</Name>
          </a>
        ),
    },
    {
      id: 'environment',
      title: 'Environment',
      width: '14%',
      isWide: true,
      show: ({ environment }) => environment ?? '',
    },
  ];
}
