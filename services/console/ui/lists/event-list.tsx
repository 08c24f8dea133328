import type { Event } from '../../types.ts';
import { useConsole } from '../../console.ts';
import { subjectOf } from '../../state/events/event-subject.ts';
import { eventVerb, rolloutChange } from '../../state/events/event-words.ts';
import { Name, Time, Isolated } from '../parts.tsx';

/** Events as sentences: who did what, and when. */
export function EventList({ events }: { readonly events: readonly Event[] }) {
  return (
    <ul class="items">
      {events.map((event) => (
        <li key={event.id}>
          <Name>{event.createdBy}</Name> {eventVerb(event)} <EventSubject of={event} />
          {event.environment !== null && (
            <span class="muted">
              {' '}
              in <Isolated>{event.environment}</Isolated>
            </span>
          )}{' '}
          {rolloutChange(event)}
          {event.comment !== undefined && <Comment of={event.comment} />}
          <p>
            <Time at={event.createdAt} />
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Why somebody made a change. */
export function Comment({ of }: { readonly of: string }) {
  return (
    <p class="comment">
      “<Isolated>{of}</Isolated>”
    </p>
  );
}

/** The feature or the change request as a link, or the name of what else changed. */
export function EventSubject({ of: event }: { readonly of: Event }) {
  const { router } = useConsole();
  const { featureName, project, groupType, groupId } = event;
  const isOfRequest = featureName === null && groupType === 'change-request';
  if (isOfRequest && project !== null && groupId !== undefined)
    return (
      <a data-row href={router.linkTo('change-requests', project, groupId)}>
        <Name>{`change request ${groupId}`}</Name>
      </a>
    );
  if (featureName === null) return <Name>{subjectOf(event) ?? ''}</Name>;
  return (
    <a data-row href={router.linkTo('features', featureName)}>
      <Name>{featureName}</Name>
    </a>
  );
}
