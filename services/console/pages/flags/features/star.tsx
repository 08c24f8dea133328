import { say } from '#base/words';
import { Icon } from '../../../ui/icon.tsx';
import type { Item } from './select.ts';
import { useShared } from './shared.ts';

export function Star({ of: item }: { readonly of: Item }) {
  const { favorites } = useShared();
  const isFavorite = favorites.has(item);
  return (
    <button
      type="button"
      class="star"
      title={isFavorite ? 'Not a favourite any more (s)' : 'Make it a favourite (s)'}
      aria-label={say`Favourite: ${item.name}`}
      aria-pressed={isFavorite}
      onClick={() => favorites.toggle(item)}
    >
      <Icon name="star" />
    </button>
  );
}
