import { type Log, startJob } from '#base/runtime';
import { hashSecret } from '#base/tokens';
import { type Unleash, UnleashError, type UnleashToken, listTokens } from '#unleash/client';

export type TokenList = {
  /** Returns the token with this hash in the latest list; undefined if the list is too old to trust. */
  find(secretHash: string): UnleashToken | undefined;
  stop(): Promise<void>;
};

export type TokenListOptions = {
  readonly unleash: Unleash;
  readonly adminSecret: string;
  readonly everyMs: number;
  readonly log: Log;
  /** Called after each reading, with the tokens by hash, and with the hashes that have disappeared since the previous reading. */
  readonly onRead: (tokens: ReadonlyMap<string, UnleashToken>, gone: readonly string[]) => void;
};

const TRUSTED_MS = 60_000;

/** Reads the list of tokens of Unleash at intervals. It stores only the hashes of their secrets. */
export function watchTokenList({ unleash, adminSecret, everyMs, log, onRead }: TokenListOptions): TokenList {
  const ownHash = hashSecret(adminSecret);
  let hashes: ReadonlySet<string> = new Set();
  let tokens: ReadonlyMap<string, UnleashToken> = new Map();
  let readAt = -Infinity;
  const job = startJob({ name: 'tokens of Unleash listed', pauseMs: everyMs, log }, async (signal) => {
    const startedAt = performance.now();
    const now = Date.now();
    const listed = (await listTokens(unleash, adminSecret, signal)).map(
      ({ secret, expiresAt, ...token }) => ({
        secretHash: hashSecret(secret),
        isExpired: expiresAt !== undefined && expiresAt <= now,
        token,
      }),
    );
    const found = new Set(listed.map(({ secretHash }) => secretHash));
    // Without our own token, this is the list of another server or of a user with few permissions. It would revoke every token.
    if (!found.has(ownHash))
      throw new UnleashError(
        'unleash-answer',
        'UNLEASH_ADMIN_TOKEN is not in the list, which may lack others too.',
      );
    const gone = [...hashes].filter((secretHash) => !found.has(secretHash));
    hashes = found;
    // By our clock, so it only leaves tokens out; Unleash itself decides whether it accepts them.
    const current = listed.filter(({ isExpired }) => !isExpired);
    tokens = new Map(current.map(({ secretHash, token }) => [secretHash, token]));
    readAt = startedAt;
    onRead(tokens, gone);
  });
  return {
    find: (secretHash) => (performance.now() - readAt < TRUSTED_MS ? tokens.get(secretHash) : undefined),
    stop: () => job.stop(),
  };
}
