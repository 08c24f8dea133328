import type { Feature, Verdict } from '../../api/types.ts';
import { type Order, sortBy } from '../../state/order.ts';

export type Item = Feature & {
  readonly verdicts: readonly Verdict[];
  /** The name in lower case, for the search. */
  readonly text: string;
};

type Query = Readonly<Record<string, string>>;

/** Adds the verdicts to the features. */
export function itemsOf(
  features: readonly Feature[],
  verdicts: ReadonlyMap<string, readonly Verdict[]>,
): readonly Item[] {
  return features.map((feature) => ({
    ...feature,
    verdicts: verdicts.get(feature.name) ?? [],
    text: feature.name.toLowerCase(),
  }));
}

/** Sorting thousands of names takes longer than a frame, so it comes before the filters, which keep the order. */
export function sortItems(items: readonly Item[], order: Order | undefined): readonly Item[] {
  return sortBy(items, order ?? { by: 'name', direction: 'up' }, (item, by) => {
    if (by === 'project') return item.project;
    if (by === 'type') return item.type;
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
  const { q = '', project = '', type = '', verdict = '', only = '' } = query;
  const text = q.toLowerCase();
  return items.filter(
    (item) =>
      item.text.includes(text) &&
      (project === '' || item.project === project) &&
      (type === '' || item.type === type) &&
      (verdict === '' || item.verdicts.some((given) => given.verdict === verdict)) &&
      (only !== 'favourites' || isFavorite(item)) &&
      (only !== 'stale' || item.stale) &&
      (only !== 'active' || !item.stale),
  );
}
