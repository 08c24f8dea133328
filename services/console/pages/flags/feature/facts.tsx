import type { Feature } from '../../../types.ts';
import { formatRoute } from '../../../state/app/route.ts';
import { isolate } from '#base/words';
import { Name, Time, Isolated } from '../../../ui/parts.tsx';

type Props = { readonly of: Feature };

/** What a feature is. */
export function FeatureFacts({ of }: Props) {
  const { project, type, description, createdAt, owner, tags, guards, source, lastSeenAt } = of;
  return (
    <>
      {description !== null && description !== '' && (
        <p class="description">
          <Isolated>{description}</Isolated>
        </p>
      )}
      <ul class="facts">
        <Marks of={of} />
        <li>
          <Name>{type}</Name> <span class="muted">in project</span>{' '}
          <a href={formatRoute({ parts: ['features'], query: { project } })}>
            <Name>{project}</Name>
          </a>
        </li>
        {owner !== null && (
          <li>
            <span class="muted">owner</span>{' '}
            <a href={formatRoute({ parts: ['features'], query: { owner } })}>
              <Name>{owner}</Name>
            </a>
          </li>
        )}
        {tags.map((tag) => (
          <li key={`tag ${tag}`}>
            <a class="badge" href={formatRoute({ parts: ['features'], query: { tag } })}>
              <Name>{tag}</Name>
            </a>
          </li>
        ))}
        {guards.length > 0 && (
          <Fact label="guarded by" name={guards.map(({ metric }) => isolate(metric)).join(', ')} />
        )}
        {source === 'unleash' && (
          <li>
            <span class="muted">edited in</span> Unleash
          </li>
        )}
        {source === 'opentelemetry' && (
          <Fact label="flag system" name={of.provider ?? 'not named by its SDK'} />
        )}
        <li>
          <span class="muted">created</span> <Time at={createdAt} />
        </li>
        <li>
          <span class="muted">last seen</span>{' '}
          {lastSeenAt === null ? 'never' : <LastSeen hour={lastSeenAt} />}
        </li>
      </ul>
    </>
  );
}

/** What became of it. */
function Marks({ of: { archivedAt, stale } }: Pick<Props, 'of'>) {
  return (
    <>
      {archivedAt !== null && (
        <li>
          <span class="badge attention">archived</span> <Time at={archivedAt} />
        </li>
      )}
      {stale && (
        <li>
          <span class="badge attention">stale</span>
        </li>
      )}
    </>
  );
}

function Fact({ label, name }: { readonly label: string; readonly name: string }) {
  return (
    <li>
      <span class="muted">{label}</span> <Name>{name}</Name>
    </li>
  );
}

/** In which hour, whatever the time window of the page. */
function LastSeen({ hour }: { readonly hour: string }) {
  return (
    <>
      in the hour from <Time at={hour} />
    </>
  );
}
