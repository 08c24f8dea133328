import type { Caller } from '#tokens';
import type { Feature } from '../../features/schema.ts';
import { type FeatureRow, SELECT_FEATURES, toFeature } from '../../features/store.ts';
import type { FeaturesQuery } from '../schemas.ts';
import { type Conditions, type Listing, containsText, createConditions } from './page.ts';

const NAME = { column: 'name', sql: 'f.name', kind: 'text' } as const;

export const featureListing: Listing<FeatureRow, Feature> = {
  select: SELECT_FEATURES,
  sorts: { name: [NAME], createdAt: [{ column: 'created_at', sql: 'f.created_at', kind: 'time' }, NAME] },
  toItem: toFeature,
};

export function featuresThat(
  { search, project, type, archived, stale, favorite, ...query }: FeaturesQuery,
  caller: Caller,
  names: readonly string[] | undefined,
): Conditions {
  const conditions = createConditions();
  const { put, where } = conditions;
  // The SELECT expects the caller in the first two parameters.
  const [userId, tokenId] = [put(caller.userId), put(caller.tokenId)];
  where(`f.archived_at is ${archived ? 'not null' : 'null'}`);
  if (search !== undefined) where(containsText(['f.name', "coalesce(f.description, '')"], put(search)));
  if (project !== undefined) where(`f.project = ${put(project)}`);
  if (type !== undefined) where(`f.type = ${put(type)}`);
  if (stale !== undefined) where(`f.stale = ${put(stale)}`);
  if (favorite !== undefined)
    where(`${favorite ? '' : 'not '}exists (
      select
      from favorite_features as v
      where v.feature = f.name
        and v.user_id = ${userId}
        and v.token_id is not distinct from ${tokenId}::uuid
    )`);
  if (query.verdict !== undefined) where(`f.name = any(${put(names ?? [])})`);
  return conditions;
}
