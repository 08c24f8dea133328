import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { EventType } from '../../../record/events/types-schema.ts';

export type Favorites = ReturnType<typeof createFavorites>;

type Favorite = { readonly project: string; readonly feature: string; readonly caller: Caller };

/** The favourites of callers. Both changes are idempotent. */
export function createFavorites(db: Postgres) {
  return {
    add: (favorite: Favorite) =>
      change(db, favorite, async (client) => {
        const { rowCount } = await client.query(
          `insert into favorite_features (feature, user_id, token_id)
           values ($1, $2, $3)
           on conflict do nothing`,
          [favorite.feature, favorite.caller.userId, favorite.caller.tokenId],
        );
        return rowCount === 1 ? 'feature-favorited' : undefined;
      }),

    remove: (favorite: Favorite) =>
      change(db, favorite, async (client) => {
        const { rowCount } = await client.query(
          `delete from favorite_features
           where feature = $1
             and user_id = $2
             and token_id is not distinct from $3::uuid`,
          [favorite.feature, favorite.caller.userId, favorite.caller.tokenId],
        );
        return rowCount === 1 ? 'feature-unfavorited' : undefined;
      }),
  };
}

/** Writes the event that `work` returns; `work` returns none if nothing changed. */
function change(
  db: Postgres,
  { project, feature, caller }: Favorite,
  work: (client: PostgresClient) => Promise<EventType | undefined>,
): Promise<void> {
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
    const type = await work(client);
    if (type !== undefined)
      await recordEvent(client, { type, caller, project, featureName: feature, data: { feature } });
  });
}
