import { hash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { ApiToken } from '#tokens';
import type { UnleashToken } from '#unleash';

/** A token that Unleash knows. */
export type KnownToken = {
  readonly token: ApiToken;
  /** When Unleash said so last. */
  confirmedAt: number;
  /** When it was asked last, answered or not. */
  askedAt: number;
  /** Of the features that it was shown last. */
  etag: string | undefined;
};

/** Rejected: Unleash answered 401 to it. Gone: the list of tokens had it, and has it no longer. */
export type Revocation = 'rejected' | 'gone';

export type TokenMemory = ReturnType<typeof createTokenMemory>;

const MAX_ENTRIES = 10_000;

/**
 * What Unleash said of secrets, by their hashes. A secret is one of these:
 *   known    good until Unleash rejects it; without an answer of Unleash, for `keptMs`
 *   unknown  Unleash did not know it; forgotten after `unknownMs`
 *   revoked  was known once: /edge/validate goes on listing it for minutes, and is not enough to make it known again
 */
export function createTokenMemory({ keptMs, unknownMs }: { keptMs: number; unknownMs: number }) {
  const known = new QuickLRU<string, KnownToken>({ maxSize: MAX_ENTRIES });
  const unknown = new QuickLRU<string, true>({ maxSize: MAX_ENTRIES, maxAge: unknownMs });
  const revoked = new QuickLRU<string, Revocation>({ maxSize: MAX_ENTRIES });
  return {
    findKnown(secretHash: string): KnownToken | undefined {
      const entry = known.get(secretHash);
      return entry !== undefined && Date.now() - entry.confirmedAt < keptMs ? entry : undefined;
    },
    /** Nothing comes of it for a revoked one. */
    learn(secretHash: string, token: ApiToken, confirmedAt: number): void {
      if (!revoked.has(secretHash))
        known.set(secretHash, { token, confirmedAt, askedAt: confirmedAt, etag: undefined });
    },
    /** Likewise, and it is no longer revoked. */
    restore(secretHash: string, token: ApiToken, confirmedAt: number): void {
      revoked.delete(secretHash);
      known.set(secretHash, { token, confirmedAt, askedAt: confirmedAt, etag: undefined });
    },
    /** The known ones among these are so at the moment. */
    confirm(listed: ReadonlyMap<string, unknown>, at: number): void {
      for (const [secretHash, entry] of known) {
        if (!listed.has(secretHash)) continue;
        entry.confirmedAt = at;
        entry.askedAt = at;
      }
    },
    isUnknown: (secretHash: string): boolean => unknown.has(secretHash),
    setUnknown(secretHash: string): void {
      known.delete(secretHash);
      unknown.set(secretHash, true);
    },
    revocationOf: (secretHash: string): Revocation | undefined => revoked.get(secretHash),
    revoke(secretHash: string, revocation: Revocation): void {
      known.delete(secretHash);
      revoked.set(secretHash, revocation);
    },
  };
}

/** As our own tokens are. Its id is the same in every process, because quotas and the ids of batches depend on it. */
export function apiTokenOf(secretHash: string, token: UnleashToken): ApiToken {
  return { ...token, id: idOf(secretHash), name: `Unleash's ${token.type} token`, expiresAt: undefined };
}

/** A UUID that does not show the hash itself. */
function idOf(secretHash: string): string {
  const hex = hash('sha256', `id of Unleash's token ${secretHash}`);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
