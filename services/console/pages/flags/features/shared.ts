import { createContext } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { say } from '#base/words';
import { type RowUsages, createRowUsages } from './read-row-usage.ts';
import { useConsole } from '../../../console.ts';
import { windowOf } from '../../../state/time/window.ts';
import { type Favorites, createFavorites } from './favorites.ts';

/** What the rows of the page share. */
type Shared = { readonly usages: RowUsages; readonly favorites: Favorites };

export const SharedContext = createContext<Shared | undefined>(undefined);

export function useShared(): Shared {
  const found = useContext(SharedContext);
  if (found === undefined) throw new Error('the row is outside the list of features');
  return found;
}

/** For the page, once: usage of the time window of the URL, and favourites. */
export function useNewShared(): Shared {
  const { api, notice, router } = useConsole();
  const window = windowOf(router.route.value.query['window']);
  const usages = useMemo(() => createRowUsages(api, window), [api, window]);
  useEffect(() => usages.stop, [usages]);
  const favorites = useMemo(
    () =>
      createFavorites(api, ({ message, advice }) => {
        notice.value = { tone: 'wrong', text: say`${message} ${advice}` };
      }),
    [api, notice],
  );
  return useMemo(() => ({ usages, favorites }), [usages, favorites]);
}
