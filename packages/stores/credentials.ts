import type { Config, Log } from '#runtime';
import { type Postgres, openPostgres } from './postgres.ts';
import { openRevocations } from './redis.ts';
import { createTokens } from './tokens.ts';
import { type VerifiedTokens, createVerifiedTokens } from './verified-tokens.ts';

/** What a service needs to know its callers. */
export type Credentials = { readonly db: Postgres; readonly tokens: VerifiedTokens; close(): Promise<void> };

export function openCredentials(config: Config, log: Log): Credentials {
  const db = openPostgres({ ...config.postgres, log });
  const revocations = openRevocations(config.redis.url, log);
  return {
    db,
    tokens: createVerifiedTokens({ tokens: createTokens(db), revocations, log }),
    async close() {
      revocations.close();
      await db.end();
    },
  };
}
