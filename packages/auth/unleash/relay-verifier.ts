import { secretOf } from '#tokens';
import type { TokenVerifier } from '../token-verifier.ts';
import type { UnleashTokens } from './unleash-tokens.ts';

/**
 * Verifies our own tokens and those of Unleash. Who holds a token that both know is ours. "Unknown" takes two: as long as one of them
 * cannot be asked, the other one alone rejects nobody.
 */
export function createRelayVerifier(own: TokenVerifier, unleash: UnleashTokens): TokenVerifier {
  return {
    waiting: () => own.waiting() + unleash.waiting(),
    async verify(authorization, address) {
      const secret = secretOf(authorization);
      // First, because it costs nothing: Postgres may be away.
      const known = unleash.recall(secret);
      if (known !== undefined) return known;
      const ours = await own.verify(authorization, address);
      if (typeof ours === 'object') return ours;
      const theirs = await unleash.verify(secret, address);
      return theirs === 'unknown' ? ours : theirs;
    },
  };
}
