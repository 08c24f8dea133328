import { signal } from '@preact/signals';
import type { Api } from '../../../api/requests/client.ts';
import type { Problem } from '../../../api/requests/problem.ts';
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
      const { name, project } = feature;
      const before = has(feature);
      choose(name, !before);
      const place = `api/admin/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
      const { problem } = await api.send({ method: before ? 'DELETE' : 'POST', path: `${place}/favorites` });
      if (problem === undefined) return;
      choose(name, before);
      onProblem(problem);
    },
  };
}
