import type { OtherTokens } from '#base/auth';
import type { Config, Log } from '#base/runtime';
import { createRelayVerifier } from './relay-verifier.ts';
import { createUnleashTokens } from './unleash-tokens.ts';

/** Tokens that Unleash knows, verified beside ours. */
export * from './unleash-tokens.ts';

/** Undefined without UNLEASH_URL. */
export function openUnleashTokens({ unleash }: Config, log: Log): OtherTokens | undefined {
  if (unleash === undefined) return undefined;
  const tokens = createUnleashTokens({ ...unleash, log });
  return { beside: (own) => createRelayVerifier(own, tokens), close: () => tokens.close() };
}
