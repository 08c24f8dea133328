import QuickLRU from 'quick-lru';
import type { RevocationListener, Revocations } from './bus.ts';

/** The number of announcements that we remember. A look-up that waited through more than these is repeated. */
const MAX_ANNOUNCEMENTS = 10_000;

/** What was heard of revocations, and what may have been missed. */
export type Announcements = {
  /** The number of announcements so far. */
  total(): number;
  /** Whether a token was announced after the first `since` announcements; also true if these are no longer remembered. */
  mayHaveNamed(tokenId: string, since: number): boolean;
  /** The number of gaps so far. */
  gaps(): number;
  /** Whether every announcement since that number of gaps has reached this process. */
  areComplete(gaps: number): boolean;
};

export function createAnnouncements(
  revocations: Pick<Revocations, 'subscribe'>,
  { onRevoked, onGap }: Pick<RevocationListener, 'onRevoked' | 'onGap'>,
): Announcements {
  const latest = new QuickLRU<string, number>({ maxSize: MAX_ANNOUNCEMENTS });
  let total = 0;
  let gaps = 0;
  let isLost = true;
  revocations.subscribe({
    onRevoked(tokenId) {
      onRevoked(tokenId);
      total += 1;
      latest.set(tokenId, total);
    },
    onLost() {
      isLost = true;
    },
    onGap() {
      isLost = false;
      gaps += 1;
      onGap();
    },
  });
  return {
    total: () => total,
    mayHaveNamed: (tokenId, since) => total - since > MAX_ANNOUNCEMENTS || (latest.get(tokenId) ?? 0) > since,
    gaps: () => gaps,
    areComplete: (since) => !isLost && gaps === since,
  };
}
