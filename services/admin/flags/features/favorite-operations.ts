import { IN_PROJECT } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter } from '../../http/operation.ts';
import type { Favorites } from './store/favorites.ts';

/** A favourite belongs to the caller: a user or an ADMIN token. */
export function favoriteOperations(favorites: Favorites): Operation[] {
  const common = {
    path: '/api/admin/projects/{projectId}/features/{featureName}/favorites',
    tag: 'Features',
    permission: 'READ',
    scope: IN_PROJECT,
    problems: [404],
  } as const;
  return [
    {
      ...common,
      id: 'addFavoriteFeature',
      method: 'post',
      summary: 'Add a feature to the favourites of the caller',
      answer: { status: 200, description: 'The feature is a favourite.' },
      async run(request) {
        await favorites.add(favoriteOf(request));
      },
    },
    {
      ...common,
      id: 'removeFavoriteFeature',
      method: 'delete',
      summary: 'Remove a feature from the favourites of the caller',
      answer: { status: 200, description: 'The feature is not a favourite.' },
      async run(request) {
        await favorites.remove(favoriteOf(request));
      },
    },
  ];
}

function favoriteOf(request: AdminRequest) {
  return {
    project: nameParameter(request, 'projectId'),
    feature: nameParameter(request, 'featureName'),
    caller: request.caller,
  };
}
