import { signal } from '@preact/signals';
import { featurePath } from '../../../state/paths/feature-paths.ts';
import type { Api } from '../../../api/requests/client.ts';
import type { Problem } from '../../../api/requests/problem.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Feature } from '../../../types.ts';

export type Favorites = {
  readonly has: (feature: Feature) => boolean;
  readonly toggle: (feature: Feature) => Promise<void>;
};

/**
 * The favourites of the caller. A star changes at once, and back if the server refuses. The list of features is not read again
 * for it, because it may be long.
 */
export function createFavorites(api: Api, onProblem: (problem: Problem) => void): Favorites {
  const chosen = signal<ReadonlyMap<string, boolean>>(new Map());
  const has = ({ name, favorite }: Feature): boolean => chosen.value.get(name) ?? favorite;
  const choose = (name: string, isFavorite: boolean): void => {
    chosen.value = new Map(chosen.value).set(name, isFavorite);
  };
  return {
    has,
    async toggle(feature) {
      const { name } = feature;
      const before = has(feature);
      choose(name, !before);
      const path = pathTo`${featurePath(feature)}/favorites`;
      const { problem } = await api.send({ method: before ? 'DELETE' : 'POST', path });
      if (problem === undefined) return;
      choose(name, before);
      onProblem(problem);
    },
  };
}
