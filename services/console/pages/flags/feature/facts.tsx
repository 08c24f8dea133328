import type { ComponentChildren } from 'preact';
import type { Feature } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { list } from '#base/words';
import { Name, Time, Isolated } from '../../../ui/parts.tsx';

type Props = { readonly of: Feature };

/** What a feature is. */
export function FeatureFacts({ of }: Props) {
  const { router } = useConsole();
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
          <a href={router.listOf('features', { project })}>
            <Name>{project}</Name>
          </a>
        </li>
        {owner !== null && (
          <li>
            <span class="muted">owner</span>{' '}
            <a href={router.listOf('features', { owner })}>
              <Name>{owner}</Name>
            </a>
          </li>
        )}
        {tags.map((tag) => (
          <li key={`tag ${tag}`}>
            <a class="badge" href={router.listOf('features', { tag })}>
              <Name>{tag}</Name>
            </a>
          </li>
        ))}
        {guards.length > 0 && (
          <Fact label="guarded by">
            <Name>{list(guards.map(({ metric }) => metric))}</Name>
          </Fact>
        )}
        {source === 'unleash' && <Fact label="edited in">Unleash</Fact>}
        {source === 'opentelemetry' && (
          <Fact label="flag system">
            <Name>{of.provider ?? 'not named by its SDK'}</Name>
          </Fact>
        )}
        <Fact label="created">
          <Time at={createdAt} />
        </Fact>
        <Fact label="last seen">{lastSeenAt === null ? 'never' : <LastSeen hour={lastSeenAt} />}</Fact>
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

type FactProps = { readonly label: string; readonly children: ComponentChildren };

/** One item of a list of facts. */
export function Fact({ label, children }: FactProps) {
  return (
    <li>
      <span class="muted">{label}</span> {children}
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
