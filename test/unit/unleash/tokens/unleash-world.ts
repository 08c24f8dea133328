import { type UnleashTokens, type UnleashTokensOptions, createUnleashTokens } from '#unleash/tokens';
import { createLog } from '#base/runtime';
import { type TokenUpstream, startTokenUpstream } from '../../../support/servers/upstream/token-upstream.ts';

export const SECRET = 'default:production.secret';
export const ADDRESS = '192.0.2.1';

const HOUR_MS = 3_600_000;
/** So long that they never pass during a test. */
const TIMING = { checkMs: HOUR_MS, repeatMs: 5, listMs: HOUR_MS, unknownMs: HOUR_MS };

export type UnleashWorld = {
  readonly upstream: TokenUpstream;
  /** Tokens that are closed together with the world. */
  open(options?: Partial<UnleashTokensOptions>, timing?: Partial<typeof TIMING>): UnleashTokens;
  close(): Promise<void>;
};

/** An upstream that knows one token. */
export async function createUnleashWorld(): Promise<UnleashWorld> {
  const upstream = await startTokenUpstream();
  upstream.create(SECRET, { projects: ['default'] });
  const opened: UnleashTokens[] = [];
  return {
    upstream,
    open(options = {}, timing = {}) {
      const tokens = createUnleashTokens({
        url: upstream.url,
        adminToken: undefined,
        tokensKeptMs: HOUR_MS,
        log: createLog('test', 'fatal'),
        ...options,
        timing: { ...TIMING, ...timing },
      });
      opened.push(tokens);
      return tokens;
    },
    async close() {
      for (const each of opened) await each.close();
      await upstream.close();
    },
  };
}

/** Asks as the token verifier does. */
export function judge(tokens: UnleashTokens, secret = SECRET): Promise<unknown> {
  return Promise.resolve(tokens.recall(secret) ?? tokens.verify(secret, ADDRESS));
}
