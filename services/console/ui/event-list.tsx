import type { Event } from '../api/types.ts';
import { useConsole } from '../console.ts';
import { subjectOf } from '../state/event-subject.ts';
import { Name, Time } from './parts.tsx';

/** Events in words: when, who, what. */
export function EventList({ events }: { readonly events: readonly Event[] }) {
  return (
    <ul class="items">
      {events.map((event) => (
        <li key={event.id}>
          {event.type.replaceAll('-', ' ')} <EventSubject of={event} />
          {event.environment !== null && <span class="muted"> in {event.environment}</span>}
          <p>
            <Time at={event.createdAt} /> by <Name>{event.createdBy}</Name>
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The feature as a link, or the name of what else changed. */
export function EventSubject({ of: event }: { readonly of: Event }) {
  const { router } = useConsole();
  const { featureName } = event;
  if (featureName === null) return <Name>{subjectOf(event) ?? ''}</Name>;
  return (
    <a data-row href={router.linkTo('features', featureName)}>
      <Name>{featureName}</Name>
    </a>
  );
}
