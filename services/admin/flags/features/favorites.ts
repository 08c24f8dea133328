import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound } from '../../denial.ts';
import { IN_PROJECT } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { EventType } from '../../record/events/types-schema.ts';

/** A favourite belongs to the caller: a user or an ADMIN token. Both changes are idempotent. */
export function favoriteOperations(db: Postgres): Operation[] {
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
      run: (request) =>
        change(db, request, async (client, feature, { userId, tokenId }) => {
          const { rowCount } = await client.query(
            `insert into favorite_features (feature, user_id, token_id)
             values ($1, $2, $3)
             on conflict do nothing`,
            [feature, userId, tokenId],
          );
          return rowCount === 1 ? 'feature-favorited' : undefined;
        }),
    },
    {
      ...common,
      id: 'removeFavoriteFeature',
      method: 'delete',
      summary: 'Remove a feature from the favourites of the caller',
      answer: { status: 200, description: 'The feature is not a favourite.' },
      run: (request) =>
        change(db, request, async (client, feature, { userId, tokenId }) => {
          const { rowCount } = await client.query(
            `delete from favorite_features
             where feature = $1
               and user_id = $2
               and token_id is not distinct from $3::uuid`,
            [feature, userId, tokenId],
          );
          return rowCount === 1 ? 'feature-unfavorited' : undefined;
        }),
    },
  ];
}

type Work = (client: PostgresClient, feature: string, caller: Caller) => Promise<EventType | undefined>;

/** Writes the event that `work` returns; `work` returns none if nothing changed. */
function change(db: Postgres, request: AdminRequest, work: Work): Promise<void> {
  const { caller } = request;
  const project = nameParameter(request, 'projectId');
  const feature = nameParameter(request, 'featureName');
  return inTransaction(db, async (client) => {
    const found = await client.query(
      `select
       from features
       where name = $1
         and project = $2
       for key share`,
      [feature, project],
    );
    if (found.rowCount === 0) throw notFound('There is no such feature in this project.');
    const type = await work(client, feature, caller);
    if (type !== undefined)
      await recordEvent(client, { type, caller, project, featureName: feature, data: { feature } });
  });
}
