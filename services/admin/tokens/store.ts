import { type StoredToken, createTokens } from '#auth';
import { type PostgresClient, inTransaction } from '#postgres';
import type { Caller, NewToken } from '#tokens';
import { recordEvent } from '../events/store/record-event.ts';
import type { AdminPools } from '../pools.ts';
import type { ApiTokenRecord } from './schema.ts';

export type ApiTokens = ReturnType<typeof createApiTokens>;

/** API tokens for administrators; each change writes its event. */
export function createApiTokens({ db, lists }: AdminPools) {
  return {
    async list(): Promise<ApiTokenRecord[]> {
      const tokens = await createTokens(lists).list();
      return tokens.filter(({ revokedAt }) => revokedAt === undefined).map(toRecord);
    },

    /** Returns which of the names in a token does not exist. */
    async findUnknown({ environment, projects }: NewToken): Promise<'environment' | 'project' | undefined> {
      const { rows } = await db.query<{ has_environment: boolean; has_projects: boolean }>(
        `select
           $1 = '*' or exists (select from environments where name = $1) as has_environment,
           (select count(*) from projects where id = any ($2::text[])) = cardinality($2::text[]) as has_projects`,
        [environment, projects],
      );
      if (rows[0]?.has_environment !== true) return 'environment';
      return rows[0].has_projects ? undefined : 'project';
    },

    create: (token: NewToken, caller: Caller): Promise<ApiTokenRecord> =>
      inTransaction(db, async (client) => {
        const stored = await createTokens(client).create(token, caller);
        if (stored === undefined) throw new Error('a fresh secret was known already');
        const record = toRecord(stored);
        await recordEvent(client, {
          type: 'api-token-created',
          caller,
          environment: record.environment,
          data: record,
        });
        return record;
      }),

    /** Revokes a token and returns its id; undefined if there is none to revoke. */
    revoke: (id: string, caller: Caller): Promise<string | undefined> =>
      inTransaction(db, async (client) => {
        const revoked = await createTokens(client).revoke(id);
        if (revoked === undefined) return undefined;
        await recordRevocation(client, revoked, caller);
        return revoked.id;
      }),
  };
}

export async function recordRevocation(
  client: PostgresClient,
  token: StoredToken,
  caller: Caller,
): Promise<void> {
  await recordEvent(client, { type: 'api-token-deleted', caller, preData: toRecord(token) });
}

function toRecord(token: StoredToken): ApiTokenRecord {
  return {
    id: token.id,
    tokenName: token.name,
    type: token.type,
    environment: token.environment,
    projects: token.projects.length === 0 ? ['*'] : [...token.projects],
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt === undefined ? null : new Date(token.expiresAt).toISOString(),
    rateLimit: token.rateLimit ?? null,
    notEnabledReasons: token.notEnabledReasons === undefined ? null : [...token.notEnabledReasons],
    seenAt: token.seenAt?.toISOString() ?? null,
    createdByUserId: token.createdBy?.userId ?? null,
    createdByTokenId: token.createdBy?.tokenId ?? null,
  };
}
