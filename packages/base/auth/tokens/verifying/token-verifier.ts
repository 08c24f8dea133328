import QuickLRU from 'quick-lru';
import { type Log, type Recent, createRecent } from '#base/runtime';
import { type ApiToken, hashSecret, secretOf } from '#base/tokens';
import { type Announcements, createAnnouncements } from '../../bus/announcements.ts';
import type { Revocations } from '../../bus/bus.ts';
import { createBoundedLookUp } from './bounded-look-up.ts';
import { type FindTokens, type TokenLookups, createTokenLookups } from './token-lookups.ts';

/** A token is looked up again after a minute. While Postgres is unreachable, a known token stays valid for ten minutes. */
const FRESH_MS = 60_000;
export const STALE_MS = 600_000;
const UNKNOWN_MS = 10_000;
const MAX_ENTRIES = 10_000;
/** The headers of verified tokens whose hashes we remember: their number and greatest length. */
const MAX_HEADERS = 1000;
const MAX_HEADER_LENGTH = 512;
/** How often a look-up is repeated because its token was announced in the meantime. */
const MAX_REPETITIONS = 3;

export type Verification =
  | { readonly token: ApiToken; readonly secretHash: string }
  | 'unknown'
  | 'unavailable';

export type TokenVerifier = {
  /**
   * Verifies the token in an Authorization header that came from this address. `unavailable` means that the store of tokens
   * cannot be reached, or that too many unknown tokens wait for their look-up.
   */
  verify(authorization: string, address: string): Promise<Verification>;
  /** The number of tokens that wait for their look-up. */
  waiting(): number;
};

type Entry = {
  readonly token: ApiToken;
  /** By `performance.now()`: a clock that goes back makes nothing young again. */
  readonly verifiedAt: number;
  /** The number of gaps before the look-up started. Announcements in a later gap may have been missed. */
  readonly gaps: number;
};

export type TokenVerifierOptions = {
  readonly findTokens: FindTokens;
  readonly revocations: Pick<Revocations, 'subscribe'>;
  readonly log: Log;
  /** How long a verified token is not looked up again. */
  readonly freshMs?: number;
};

/**
 * Caches verified tokens, so that the hot path does no I/O. Revocations arrive through the bus and take effect at once. After a
 * minute a token is looked up again. If that takes long, the answer comes from the cache, unless a revocation may have been missed.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { findTokens, revocations, log, freshMs = FRESH_MS } = options;
  const known = new QuickLRU<string, Entry>({ maxSize: MAX_ENTRIES });
  const unknown = createRecent<true>({ maxSize: MAX_ENTRIES, maxAgeMs: UNKNOWN_MS });
  const hashes = createHeaderHashes();
  const lookups = createTokenLookups({ findTokens });
  const announcements = createAnnouncements(revocations, {
    onRevoked(tokenId) {
      for (const [hash, { token }] of known) if (token.id === tokenId) known.delete(hash);
      lookups.outdate();
    },
    onGap() {
      lookups.outdate();
    },
  });
  const lookUp = createLookUp({ known, unknown, lookups, announcements, log });
  const lookUpInTime = createBoundedLookUp<Verification>();
  /** Announcements of revocations have reached us since the look-up, so only a deletion in the database could be unknown. */
  const isSound = (entry: Entry): boolean =>
    announcements.areComplete(entry.gaps) && isYounger(entry, STALE_MS);

  return {
    waiting: () => lookups.waiting(),
    async verify(authorization, address) {
      const secretHash = hashes.of(authorization);
      const entry = known.get(secretHash);
      if (entry !== undefined && entry.gaps === announcements.gaps() && isYounger(entry, freshMs)) {
        hashes.remember(authorization, secretHash);
        return unexpired({ token: entry.token, secretHash });
      }
      if (unknown.has(secretHash)) return 'unknown';
      if (entry === undefined || !isSound(entry)) return unexpired(await lookUp(secretHash, address));
      const verification = await lookUpInTime(secretHash, () => lookUp(secretHash, address));
      // Not `entry`, because the token may have been revoked meanwhile.
      const { token } = known.get(secretHash) ?? {};
      if (verification !== undefined || token === undefined) return unexpired(verification ?? 'unavailable');
      return unexpired({ token, secretHash });
    },
  };
}

type LookUpParts = {
  readonly known: QuickLRU<string, Entry>;
  readonly unknown: Recent<true>;
  readonly lookups: TokenLookups;
  readonly announcements: Announcements;
  readonly log: Log;
};

/** Looks a token up and remembers the result. If the store does not answer, a known token stays valid. Never rejects. */
function createLookUp({
  known,
  unknown,
  lookups,
  announcements,
  log,
}: LookUpParts): (secretHash: string, address: string) => Promise<Verification> {
  return async (secretHash, address) => {
    try {
      for (let tries = 0; tries <= MAX_REPETITIONS; tries += 1) {
        const before = {
          announced: announcements.total(),
          gaps: announcements.gaps(),
          verifiedAt: performance.now(),
        };
        const found = known.has(secretHash)
          ? lookups.findKnown(secretHash)
          : lookups.findStranger(secretHash, address);
        if (found === 'full') return 'unavailable';
        const token = await found;
        if (token === undefined) {
          known.delete(secretHash);
          unknown.set(secretHash, true);
          return 'unknown';
        }
        // The answer may be older than a revocation of this token. Revocations of other tokens do not matter.
        if (announcements.mayHaveNamed(token.id, before.announced)) continue;
        known.set(secretHash, { token, verifiedAt: before.verifiedAt, gaps: before.gaps });
        return { token, secretHash };
      }
      return 'unavailable';
    } catch (err) {
      log.warn({ err }, 'token not looked up');
      const entry = known.get(secretHash);
      return entry !== undefined && isYounger(entry, STALE_MS)
        ? { token: entry.token, secretHash }
        : 'unavailable';
    }
  };
}

function isYounger({ verifiedAt }: Entry, ms: number): boolean {
  return performance.now() - verifiedAt < ms;
}

type HeaderHashes = {
  /** The hash of the secret in an Authorization header. */
  of(authorization: string): string;
  /** Called for the header of a verified token only, so that a stranger's secrets take no room. */
  remember(authorization: string, secretHash: string): void;
};

/** Hashing takes a twentieth of the time of a batch of 10 rows. Secrets stay in memory only. */
function createHeaderHashes(): HeaderHashes {
  const known = new QuickLRU<string, string>({ maxSize: MAX_HEADERS });
  return {
    of: (authorization) => known.get(authorization) ?? hashSecret(secretOf(authorization)),
    remember(authorization, secretHash) {
      if (authorization.length <= MAX_HEADER_LENGTH && !known.has(authorization))
        known.set(authorization, secretHash);
    },
  };
}

function unexpired(verification: Verification): Verification {
  if (typeof verification === 'string') return verification;
  const { expiresAt } = verification.token;
  return expiresAt !== undefined && expiresAt <= Date.now() ? 'unknown' : verification;
}
