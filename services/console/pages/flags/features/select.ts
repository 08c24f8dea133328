import type { Feature, Verdict } from '../../../types.ts';
import { type Order, sortBy } from '../../../state/order.ts';
import { hasWords, searchable, wordsOf } from '../../../state/search.ts';

export type Item = Feature & {
  readonly verdicts: readonly Verdict[];
  /** Name, description, owner and tags, for the search. */
  readonly text: string;
  /** Start of the last hour with evaluations, in epoch milliseconds; undefined if there is none. */
  readonly seenAt: number | undefined;
};

/** The parameters of the URL that `filterItems` reads. */
export const FILTERS = ['q', 'project', 'type', 'owner', 'tag', 'verdict', 'seen', 'only'] as const;

type Query = Readonly<Record<string, string>>;

/** Adds the verdicts to the features. */
export function itemsOf(
  features: readonly Feature[],
  verdicts: ReadonlyMap<string, readonly Verdict[]>,
): readonly Item[] {
  return features.map((feature) => ({
    ...feature,
    verdicts: verdicts.get(feature.name) ?? [],
    text: searchable([feature.name, feature.description, feature.owner, ...feature.tags]),
    seenAt: feature.lastSeenAt === null ? undefined : Date.parse(feature.lastSeenAt),
  }));
}

/** Sorting thousands of names takes longer than a frame, so it comes before the filters, which keep the order. */
export function sortItems(items: readonly Item[], order: Order | undefined): readonly Item[] {
  return sortBy(items, order ?? { by: 'name', direction: 'up' }, (item, by) => {
    if (by === 'project') return item.project;
    if (by === 'type') return item.type;
    if (by === 'seen') return item.seenAt ?? 0;
    if (by === 'verdicts') return item.verdicts.length;
    return item.name;
  });
}

/** The items that the search and the filters of the URL leave. */
export function filterItems(
  items: readonly Item[],
  query: Query,
  isFavorite: (item: Item) => boolean,
): readonly Item[] {
  const { q = '', project = '', type = '', owner = '', tag = '', verdict = '', only = '', seen = '' } = query;
  const words = wordsOf(q);
  const now = Date.now();
  return items.filter(
    (item) =>
      hasWords(item.text, words) &&
      (project === '' || item.project === project) &&
      (type === '' || item.type === type) &&
      (owner === '' || item.owner === owner) &&
      (tag === '' || item.tags.includes(tag)) &&
      (verdict === '' || item.verdicts.some((given) => given.verdict === verdict)) &&
      (seen === '' || isSeen(item, seen, now)) &&
      (only !== 'favourites' || isFavorite(item)) &&
      (only !== 'stale' || item.stale) &&
      (only !== 'active' || !item.stale),
  );
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A feature that is younger than the time was not missed in it. Hours count whole. */
export function isUnseenFor(days: number, { seenAt, createdAt }: Item, now: number): boolean {
  const since = now - days * DAY_MS;
  return seenAt === undefined ? Date.parse(createdAt) < since : seenAt + HOUR_MS <= since;
}

function isSeen(item: Item, seen: string, now: number): boolean {
  if (seen === 'never') return item.seenAt === undefined;
  if (seen === 'not-7d') return isUnseenFor(7, item, now);
  if (seen === 'not-30d') return isUnseenFor(30, item, now);
  return item.seenAt !== undefined && item.seenAt + HOUR_MS > now - DAY_MS;
}
