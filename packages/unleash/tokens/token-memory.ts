import { hash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import { createRecent } from '#base/runtime';
import type { ApiToken } from '#base/tokens';
import type { UnleashToken } from '#unleash/client';

/** A token that Unleash knows. */
export type KnownToken = {
  readonly token: ApiToken;
  /** The last time when Unleash confirmed it, by `performance.now()`, as all times here. */
  confirmedAt: number;
  /** The last time when we asked, with or without an answer. */
  askedAt: number;
  /** The ETag of the features that Unleash returned last. */
  etag: string | undefined;
};

/** Rejected: Unleash answered 401. Gone: the token has disappeared from the list of tokens. */
export type Revocation = 'rejected' | 'gone';

export type TokenMemory = ReturnType<typeof createTokenMemory>;

const MAX_ENTRIES = 10_000;

/**
 * The answers of Unleash about secrets, by their hashes. A secret has one of these states:
 *   known    valid until Unleash rejects it, or for `keptMs` without an answer of Unleash
 *   unknown  Unleash did not know it; forgotten after `unknownMs`
 *   revoked  once known; /edge/validate still lists it for minutes, so its answer cannot make the secret known again
 */
export function createTokenMemory({ keptMs, unknownMs }: { keptMs: number; unknownMs: number }) {
  const known = new QuickLRU<string, KnownToken>({ maxSize: MAX_ENTRIES });
  const unknown = createRecent<true>({ maxSize: MAX_ENTRIES, maxAgeMs: unknownMs });
  const revoked = new QuickLRU<string, Revocation>({ maxSize: MAX_ENTRIES });
  return {
    findKnown(secretHash: string): KnownToken | undefined {
      const entry = known.get(secretHash);
      return entry !== undefined && performance.now() - entry.confirmedAt < keptMs ? entry : undefined;
    },
    /** Stores a token, unless it is revoked. */
    learn(secretHash: string, token: ApiToken, confirmedAt: number): void {
      if (!revoked.has(secretHash))
        known.set(secretHash, { token, confirmedAt, askedAt: confirmedAt, etag: undefined });
    },
    /** Stores a token, even if it was revoked. */
    restore(secretHash: string, token: ApiToken, confirmedAt: number): void {
      revoked.delete(secretHash);
      known.set(secretHash, { token, confirmedAt, askedAt: confirmedAt, etag: undefined });
    },
    /** Confirms the known tokens among these. */
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

/** The token in the form of our tokens. Its id is the same in every process, because quotas and batch ids depend on it. */
export function apiTokenOf(secretHash: string, token: UnleashToken): ApiToken {
  return { ...token, id: idOf(secretHash), name: `Unleash's ${token.type} token`, expiresAt: undefined };
}

/** A UUID that does not reveal the hash. */
function idOf(secretHash: string): string {
  const hex = hash('sha256', `id of Unleash's token ${secretHash}`);
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
