import { secretOf } from '#base/tokens';
import type { TokenVerifier } from '#base/auth';
import type { UnleashTokens } from './unleash-tokens.ts';

/**
 * Verifies our own tokens and those of Unleash. A token that both know counts as ours. A token is unknown only if both say so:
 * while one of them cannot be reached, no one is rejected.
 */
export function createRelayVerifier(own: TokenVerifier, unleash: UnleashTokens): TokenVerifier {
  return {
    waiting: () => own.waiting() + unleash.waiting(),
    async verify(authorization, address) {
      const secret = secretOf(authorization);
      // First, because it needs no I/O, and Postgres may be unreachable.
      const known = unleash.recall(secret);
      if (known !== undefined) return known;
      const ours = await own.verify(authorization, address);
      if (typeof ours === 'object') return ours;
      const theirs = await unleash.verify(secret, address);
      return theirs === 'unknown' ? ours : theirs;
    },
  };
}
