import { type Postgres, openPostgres } from '#postgres';
import type { Config, Log } from '#runtime';
import { findPersonalTokens } from './personal-tokens.ts';
import { type Rates, openRates } from './rates.ts';
import { type Revocations, openRevocations } from './revocations.ts';
import { createTokens } from './stored-tokens.ts';
import type { FindTokens } from './token-lookups.ts';
import { type TokenUses, createTokenUses } from './token-uses.ts';
import { type VerifiedTokens, createVerifiedTokens } from './token-verifier.ts';

/** A frozen Postgres must not hold a request for three seconds. */
const STATEMENT_TIMEOUT_MS = 2000;

/** What a service needs to know its callers. */
export type Credentials = {
  readonly db: Postgres;
  /** Verifying counts as a use of the token. */
  readonly tokens: VerifiedTokens;
  /** The same tokens, for asking whether one is valid without using it. */
  readonly unusedTokens: VerifiedTokens;
  readonly uses: Pick<TokenUses, 'note'>;
  readonly revocations: Revocations;
  readonly rates: Omit<Rates, 'close'>;
  close(): Promise<void>;
};

export function openCredentials(config: Config, log: Log): Credentials {
  const db = openPostgres({ ...config.postgres, log, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const revocations = openRevocations(config.redis, log);
  const rates = openRates(config.redis, log);
  const apiTokens = createTokens(db);
  const findTokens: FindTokens = async (secretHashes) => {
    const found = await apiTokens.find(secretHashes);
    const others = secretHashes.filter((secretHash) => !found.has(secretHash));
    return others.length === 0 ? found : new Map([...found, ...(await findPersonalTokens(db, others))]);
  };
  const unusedTokens = createVerifiedTokens({ findTokens, revocations, log });
  const uses = createTokenUses(db, log);
  return {
    db,
    tokens: countUses(unusedTokens, uses),
    unusedTokens,
    uses,
    revocations,
    rates,
    async close() {
      revocations.close();
      await rates.close();
      await uses.close();
      await db.end();
    },
  };
}

function countUses(tokens: VerifiedTokens, uses: TokenUses): VerifiedTokens {
  return {
    waiting: () => tokens.waiting(),
    async verify(authorization, address) {
      const verification = await tokens.verify(authorization, address);
      if (typeof verification === 'object') uses.note(verification.secretHash);
      return verification;
    },
  };
}
