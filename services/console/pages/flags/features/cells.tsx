import { useEffect } from 'preact/hooks';
import { useConsole } from '../../../console.ts';
import { formatCount, formatShare } from '../../../state/format.ts';
import { isSwitched } from '../../../state/switched.ts';
import { say } from '#base/words';
import { evaluationsWords, lastSeenWords } from '../../../state/sentences/first-pages.ts';
import { Name } from '../../../ui/parts.tsx';
import { Sparkline } from '../../../ui/sparkline.tsx';
import type { Item } from './select.ts';
import { useShared } from './shared.ts';
import { Star } from './star.tsx';

type Props = { readonly of: Item };

/** Star and link. While it is shown, the usage of its feature is read. */
export function NameCell({ of: item }: Props) {
  const { router } = useConsole();
  const { usages, favorites } = useShared();
  useEffect(() => usages.want(item.name), [usages, item.name]);
  return (
    <span class="starred">
      <Star of={item} />
      <a
        data-row
        href={router.linkTo('features', item.name)}
        onKeyDown={async ({ key }) => {
          if (key === 's') await favorites.toggle(item);
        }}
      >
        <Name>{item.name}</Name>
      </a>
      {item.provider !== null && (
        <span class="muted" title="Flag system">
          <Name>{item.provider}</Name>
        </span>
      )}
    </span>
  );
}

/** On or off in an environment, and the share of evaluations there that were enabled. */
export function EnvironmentCell({ of: item, environment }: Props & { readonly environment: string }) {
  const counts = useShared().usages.of(item.name).value?.environments.get(environment);
  const found = item.environments.find((one) => one.name === environment);
  if (found === undefined) return <span class="muted">–</span>;
  return (
    <>
      {isSwitched(item) && (
        <span class={found.enabled ? 'badge on' : 'badge'}>{found.enabled ? 'on' : 'off'}</span>
      )}
      {counts !== undefined && counts.yes + counts.no > 0 && (
        <span class="share number" title="Share of evaluations that were enabled">
          {formatShare(counts.yes, counts.yes + counts.no)}
        </span>
      )}
    </>
  );
}

export function EvaluationsCell({ of: { name } }: Props) {
  const usage = useShared().usages.of(name).value;
  if (usage === undefined) return <span class="muted">…</span>;
  return <span class={usage.total === 0 ? 'number muted' : 'number'}>{formatCount(usage.total)}</span>;
}

export function SparklineCell({ of: { name } }: Props) {
  const usage = useShared().usages.of(name).value;
  if (usage === undefined) return null;
  const { counts, total, isLastGrowing } = usage;
  return <Sparkline counts={counts} label={evaluationsWords(total)} isLastGrowing={isLastGrowing} />;
}

/** Hours are counted as a whole, so the age is that of the start of the last hour with evaluations. */
export function SeenCell({ of: { lastSeenAt, seenAt } }: Props) {
  if (lastSeenAt === null || seenAt === undefined) return <span class="muted">never</span>;
  const ageMs = Date.now() - seenAt;
  return (
    <time class="number" dateTime={lastSeenAt} title={say`In the hour from ${lastSeenAt}`}>
      {lastSeenWords(ageMs)}
    </time>
  );
}
