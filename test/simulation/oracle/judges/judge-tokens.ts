import type { World } from '../../world.ts';

/** `FRESH_MS` of the token cache, and time for a look-up. */
const FRESH_MS = 62_000;
/** An announcement that arrives. */
const ANNOUNCED_MS = 500;
const SUBSCRIBED_MS = 1000;

/**
 * No process takes a batch of a revoked token after the announcement, if it was connected to Redis and not frozen; and none after the
 * time for which a token is not looked up again, if Postgres answers.
 */
export function* judgeTokens({ relays, postgres, redis }: World): Generator<string> {
  for (const { name, tries, token } of relays) {
    const revokedAt = postgres.revokedAt.get(token.id);
    if (revokedAt === undefined) continue;
    for (const { arrivedAt, status, life, lifeSince, storesUpSince } of tries) {
      if (status !== 202 || arrivedAt === undefined) continue;
      const isConnected =
        redis.announced.has(token.id) &&
        storesUpSince.redis < revokedAt - SUBSCRIBED_MS &&
        lifeSince < revokedAt - SUBSCRIBED_MS &&
        life.frozenUntil < revokedAt;
      const after = arrivedAt - revokedAt;
      if (isConnected && after > ANNOUNCED_MS)
        yield `${name} was accepted ${after} ms after its token was revoked and announced`;
      if (after > FRESH_MS && arrivedAt - storesUpSince.postgres > FRESH_MS)
        yield `${name} was accepted ${after} ms after its token was revoked, though Postgres answered`;
    }
  }
}
