import type { Config, Log } from '#runtime';
import { createPersonalTokens } from './personal-tokens.ts';
import { type Postgres, openPostgres } from './postgres.ts';
import { type Revocations, openRevocations } from './redis.ts';
import { createTokens } from './tokens.ts';
import { type VerifiedTokens, createVerifiedTokens } from './verified-tokens.ts';

/** A frozen Postgres must not hold a request for three seconds. */
const STATEMENT_TIMEOUT_MS = 2000;

/** What a service needs to know its callers. */
export type Credentials = {
  readonly db: Postgres;
  readonly tokens: VerifiedTokens;
  readonly revocations: Revocations;
  close(): Promise<void>;
};

export function openCredentials(config: Config, log: Log): Credentials {
  const db = openPostgres({ ...config.postgres, log, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const revocations = openRevocations(config.redis, log);
  const apiTokens = createTokens(db);
  const personalTokens = createPersonalTokens(db);
  const tokens = {
    find: async (secretHash: string) =>
      (await apiTokens.find(secretHash)) ?? (await personalTokens.find(secretHash)),
  };
  return {
    db,
    tokens: createVerifiedTokens({ tokens, revocations, log }),
    revocations,
    async close() {
      revocations.close();
      await db.end();
    },
  };
}
