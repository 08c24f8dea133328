import { cleanTag, cleanText } from '#base/tokens';
import type { Feature } from '../../../flags/features/schema.ts';
import {
  type FeatureRow,
  type LastSeen,
  lookUpLastSeen,
  selectFeatures,
  toFeature,
} from '../../../flags/features/rows.ts';
import type { FeaturesQuery } from '../schemas.ts';
import { type Conditions, type Listing, type Seen, addSearch, createConditions } from './page.ts';

const NAME = { column: 'name', sql: 'f.name', kind: 'text' } as const;
/** The name in the table whose index carries the order of last evaluations. */
const SEEN_NAME = { ...NAME, sql: 's.feature_name' } as const;
const CREATED = { column: 'created_at', sql: 'f.created_at', kind: 'time' } as const;

/** The features, and the conditions of the query. */
export function featureList(
  { names, ...query }: FeaturesQuery & { readonly names: readonly string[] | undefined },
  { caller, visible }: Seen,
): { readonly listing: Listing<FeatureRow, Feature>; readonly conditions: Conditions } {
  const conditions = createConditions();
  // The SELECT expects the caller in the first two parameters.
  const [userId, tokenId] = [conditions.put(caller.userId), conditions.put(caller.tokenId)];
  const lastSeen = lastSeenOf(query, conditions.put);
  if (visible !== undefined) conditions.where(`f.project = any(${conditions.put(visible)})`);
  addConditions(conditions, query, { userId, tokenId, lastSeenAt: lastSeen.column, names });
  return {
    listing: {
      select: selectFeatures(lastSeen),
      sorts: {
        name: [NAME],
        createdAt: [CREATED, NAME],
        lastSeenAt: [
          { column: 'last_seen_at', sql: lastSeen.column, kind: 'time' },
          query.environment === undefined ? SEEN_NAME : NAME,
        ],
      },
      toItem: toFeature,
    },
    conditions,
  };
}

/** Joins only if the time decides which features are listed. Otherwise Postgres would read more rows than the page has. */
function lastSeenOf(
  { sort, environment, seenSince, notSeenSince }: FeaturesQuery,
  put: Conditions['put'],
): LastSeen {
  const place = environment === undefined ? "''" : put(environment);
  const isDeciding = sort.endsWith('lastSeenAt') || seenSince !== undefined || notSeenSince !== undefined;
  if (!isDeciding) return lookUpLastSeen(place);
  const on = `on s.feature_name = f.name and s.environment = ${place}`;
  return environment === undefined
    ? { column: 's.last_seen_at', join: `join feature_last_seen as s ${on}` }
    : { column: "coalesce(s.last_seen_at, 'epoch')", join: `left join feature_last_seen as s ${on}` };
}

/** `userId` and `tokenId` are parameters, `lastSeenAt` is a column. */
type Columns = {
  readonly userId: string;
  readonly tokenId: string;
  readonly lastSeenAt: string;
  readonly names: readonly string[] | undefined;
};

/** As in the index `features_text`. */
const SEARCHED = ['f.name', "coalesce(f.description, '')", "coalesce(f.owner, '')", 'text_of_tags(f.tags)'];

function addConditions(
  conditions: Conditions,
  { search, project, type, archived, stale, favorite, ...query }: FeaturesQuery,
  { userId, tokenId, lastSeenAt, names }: Columns,
): void {
  const { put, where } = conditions;
  where(`f.archived_at is ${archived ? 'not null' : 'null'}`);
  if (search !== undefined) addSearch(conditions, SEARCHED, search);
  if (project !== undefined) where(`f.project = ${put(project)}`);
  if (type !== undefined) where(`f.type = ${put(type)}`);
  if (query.owner !== undefined) where(`f.owner = ${put(cleanText(query.owner))}`);
  if (query.tag !== undefined) where(`${put(cleanTag(query.tag))} = any(f.tags)`);
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
  if (query.seenSince !== undefined) where(`${lastSeenAt} >= ${put(query.seenSince)}::timestamptz`);
  if (query.notSeenSince !== undefined) where(`${lastSeenAt} < ${put(query.notSeenSince)}::timestamptz`);
}
