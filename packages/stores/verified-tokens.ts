import QuickLRU from 'quick-lru';
import { type ApiToken, hashSecret, secretOf } from '#domain';
import type { Log } from '#runtime';
import type { Revocations } from './redis.ts';
import type { Tokens } from './tokens.ts';

/** A token is looked up again after a minute; while Postgres is away a known one stays good for ten. */
const FRESH_MS = 60_000;
const STALE_MS = 600_000;
const UNKNOWN_MS = 10_000;
const MAX_ENTRIES = 10_000;
/** Look-ups at the same time: a flood of invented tokens must not queue up in front of Postgres. */
const MAX_LOOKUPS = 64;

export type Verification = { readonly token: ApiToken } | 'unknown' | 'unavailable';

export type VerifiedTokens = {
  /** Whose token an Authorization header carries. `unavailable`: it cannot be told while Postgres is away. */
  verify(authorization: string): Promise<Verification>;
};

type Entry = { readonly token: ApiToken; readonly verifiedAt: number };

export type VerifiedTokensOptions = {
  readonly tokens: Pick<Tokens, 'find'>;
  readonly revocations: Pick<Revocations, 'subscribe'>;
  readonly log: Log;
};

/** Remembers verified tokens, so that the hot path does no I/O; a revocation takes effect at once, through Redis. */
export function createVerifiedTokens({ tokens, revocations, log }: VerifiedTokensOptions): VerifiedTokens {
  const known = new QuickLRU<string, Entry>({ maxSize: MAX_ENTRIES });
  const unknown = new QuickLRU<string, true>({ maxSize: MAX_ENTRIES, maxAge: UNKNOWN_MS });
  const lookups = new Map<string, Promise<Verification>>();
  let revision = 0;
  revocations.subscribe({
    onRevoked(tokenId) {
      for (const [hash, { token }] of known) if (token.id === tokenId) known.delete(hash);
      revision += 1;
    },
    onGap() {
      for (const [hash, entry] of known)
        known.set(hash, { ...entry, verifiedAt: entry.verifiedAt - FRESH_MS });
    },
  });

  const lookUp = async (hash: string): Promise<Verification> => {
    try {
      const before = revision;
      const token = await tokens.find(hash);
      // This answer may be older than a revocation that came in meanwhile.
      if (revision !== before) return await lookUp(hash);
      if (token !== undefined) known.set(hash, { token, verifiedAt: Date.now() });
      else {
        known.delete(hash);
        unknown.set(hash, true);
      }
      return token === undefined ? 'unknown' : { token };
    } catch (err) {
      log.warn({ err }, 'token not looked up');
      const entry = known.get(hash);
      return entry !== undefined && Date.now() - entry.verifiedAt < STALE_MS
        ? { token: entry.token }
        : 'unavailable';
    }
  };

  return {
    async verify(authorization) {
      const hash = hashSecret(secretOf(authorization));
      const entry = known.get(hash);
      if (entry !== undefined && Date.now() - entry.verifiedAt < FRESH_MS)
        return unexpired({ token: entry.token });
      if (unknown.has(hash)) return 'unknown';
      let lookup = lookups.get(hash);
      if (lookup === undefined) {
        if (lookups.size >= MAX_LOOKUPS) return 'unavailable';
        lookup = lookUp(hash).finally(() => lookups.delete(hash));
        lookups.set(hash, lookup);
      }
      return unexpired(await lookup);
    },
  };
}

function unexpired(verification: Verification): Verification {
  if (typeof verification === 'string') return verification;
  const { expiresAt } = verification.token;
  return expiresAt !== undefined && expiresAt <= Date.now() ? 'unknown' : verification;
}
