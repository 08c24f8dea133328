import type { Middleware } from 'koa';
import { createTrustedProxies } from '#base/http';
import { createUnleash } from '#unleash/client';
import type { Annex, AnnexParts } from '../annex.ts';
import { createPassThrough } from './pass-through/pass-through.ts';
import { createSeenTokens } from './seen-tokens.ts';

/** Passes to Unleash what ingest has no route for, and tells it which tokens relays have seen. Empty without UNLEASH_URL. */
export function openUnleash(
  { config, registry, log }: AnnexParts,
  alongside: (pass: Middleware) => Middleware,
): Annex {
  const { unleash, http } = config;
  if (unleash === undefined) return {};
  const seenTokens = createSeenTokens({ unleash: createUnleash(unleash), registry, log });
  const { middleware, end } = createPassThrough({
    unleash,
    requestTimeoutMs: http.requestTimeoutMs,
    trustedProxies: createTrustedProxies(http.trustedProxies),
    registry,
  });
  return {
    onSeenTokens: (secrets, relaySecret) => {
      seenTokens.note(secrets, relaySecret);
    },
    fallback: { middleware: alongside(middleware), end },
    stop: () => seenTokens.stop(),
  };
}
