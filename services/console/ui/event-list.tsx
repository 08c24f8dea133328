import type { Event } from '../api/types.ts';
import { useConsole } from '../console.ts';
import { Name, Time } from './parts.tsx';

/** Events in words: when, who, what. */
export function EventList({ events }: { readonly events: readonly Event[] }) {
  const { router } = useConsole();
  return (
    <ul class="items">
      {events.map(({ id, type, featureName, environment, createdBy, createdAt }) => (
        <li key={id}>
          {type.replaceAll('-', ' ')}
          {featureName !== null && (
            <>
              {': '}
              <a href={router.linkTo('features', featureName)}>
                <Name>{featureName}</Name>
              </a>
            </>
          )}
          {environment !== null && <span class="muted"> in {environment}</span>}
          <p>
            <Time at={createdAt} /> by <Name>{createdBy}</Name>
          </p>
        </li>
      ))}
    </ul>
  );
}
