import type { ApiTokenRecord } from '#contract';
import type { Caller, NewToken } from '#domain';
import type { AdminPools } from './admin-pools.ts';
import { inTransaction } from './postgres.ts';
import { recordEvent } from './record-event.ts';
import { type StoredToken, createTokens } from './tokens.ts';

export type ApiTokens = ReturnType<typeof createApiTokens>;

/** API tokens as administrators manage them: each change with its event. */
export function createApiTokens({ db, lists }: AdminPools) {
  return {
    async list(): Promise<ApiTokenRecord[]> {
      const tokens = await createTokens(lists).list();
      return tokens.filter(({ revokedAt }) => revokedAt === undefined).map(toRecord);
    },

    create: (
      token: NewToken,
      caller: Caller,
    ): Promise<ApiTokenRecord | 'unknown environment' | 'unknown project'> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<{ has_environment: boolean; has_projects: boolean }>(
          `select
             $1 = '*' or exists (select from environments where name = $1) as has_environment,
             (select count(*) from projects where id = any ($2::text[])) = cardinality($2::text[]) as has_projects`,
          [token.environment, token.projects],
        );
        if (rows[0]?.has_environment !== true) return 'unknown environment';
        if (!rows[0].has_projects) return 'unknown project';
        const stored = await createTokens(client).create(token);
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

    /** Whether there was such a token to revoke. */
    revoke: (id: string, caller: Caller): Promise<boolean> =>
      inTransaction(db, async (client) => {
        const revoked = await createTokens(client).revoke(id);
        if (revoked === undefined) return false;
        await recordEvent(client, { type: 'api-token-deleted', caller, preData: toRecord(revoked) });
        return true;
      }),
  };
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
    seenAt: token.seenAt?.toISOString() ?? null,
  };
}
