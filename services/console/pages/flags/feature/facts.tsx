import type { Feature } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { formatBucket } from '../../../state/chart/bucket-title.ts';
import { formatRoute } from '../../../state/app/route.ts';
import type { Usage } from '../../../state/usage.ts';
import { Name, Time } from '../../../ui/parts.tsx';

type Props = { readonly of: Feature; readonly usage: Usage | undefined };

/** What a feature is. */
export function FeatureFacts({ of, usage }: Props) {
  const { project, type, description, createdAt, owner, tags, guards, source } = of;
  return (
    <>
      {description !== null && description !== '' && (
        <p class="description">
          <bdi>{description}</bdi>
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
          <Fact label="guarded by" name={guards.map(({ metric }) => metric).join(', ')} />
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
        {usage !== undefined && (
          <li>
            <span class="muted">last seen</span> <LastSeen usage={usage} />
          </li>
        )}
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

function LastSeen({ usage: { starts, end, zone, series } }: { readonly usage: Usage }) {
  const switched = useConsole().preferences.zone.value;
  const bucket = starts.findLastIndex((_, at) =>
    series.some(({ yes, no, unknown }) => (yes[at] ?? 0) + (no[at] ?? 0) + (unknown[at] ?? 0) > 0),
  );
  const start = starts[bucket];
  if (start === undefined) return <>not in this time</>;
  return (
    <span class="number">{formatBucket({ start, end: starts[bucket + 1] ?? end }, zone ?? switched)}</span>
  );
}
