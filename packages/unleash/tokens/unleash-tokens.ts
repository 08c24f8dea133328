import { type Log, withDeadline } from '#base/runtime';
import { type ApiToken, hashSecret } from '#base/tokens';
import { type Unleash, createUnleash, validateTokens } from '#unleash/client';
import { type Verification, createTokenLookups } from '#base/auth';
import { createTokenChecks } from './token-checks.ts';
import { type TokenList, watchTokenList } from './token-list.ts';
import { type TokenMemory, apiTokenOf, createTokenMemory } from './token-memory.ts';

export type UnleashTokens = {
  /** The cached token, if Unleash accepted it when we last asked. */
  recall(secret: string): Exclude<Verification, string> | undefined;
  /** Asks Unleash. `unavailable` means that Unleash gave no answer in time, or that too many unknown secrets wait. */
  verify(secret: string, address: string): Promise<Verification>;
  /** The number of secrets that wait for an answer of Unleash. */
  waiting(): number;
  close(): Promise<void>;
};

export type UnleashTokensOptions = {
  readonly url: string;
  /** With this token, revocations come from Unleash's list of tokens. */
  readonly adminToken: string | undefined;
  /** A known token stays valid for this time while Unleash does not answer. */
  readonly tokensKeptMs: number;
  readonly log: Log;
  readonly timing?: UnleashTokensTiming;
};

export type UnleashTokensTiming = {
  /** The interval between checks of a known secret that is in use. */
  readonly checkMs: number;
  /** A rejected secret is checked once more after this time. */
  readonly repeatMs: number;
  readonly listMs: number;
  readonly unknownMs: number;
};

/** Unleash itself notices a deletion within a minute. A check costs it 3 ms. */
const TIMING: UnleashTokensTiming = { checkMs: 10_000, repeatMs: 3000, listMs: 20_000, unknownMs: 3000 };
/** Less than a relay waits for its answer. */
const WAIT_MS = 4000;

/**
 * Verifies tokens that Unleash knows. Unleash describes a token at its first use. A known token never waits: while requests
 * carry it, we check in the background whether Unleash still accepts it. Only hashes of secrets are cached.
 */
export function createUnleashTokens(options: UnleashTokensOptions): UnleashTokens {
  const { url, tokensKeptMs: keptMs, log, timing = TIMING } = options;
  const memory = createTokenMemory({ keptMs, unknownMs: timing.unknownMs });
  const checks = createTokenChecks({ url, memory, ...timing });
  const unleash = createUnleash({ url });
  let list: TokenList | undefined;
  const lookups = createTokenLookups({
    pauseMs: pauseAfter,
    async findTokens(secrets) {
      const askedAt = performance.now();
      const found = await findTokens(secrets, { list, unleash });
      // Also stores tokens whose callers have stopped waiting, because they will ask again.
      for (const [secret, token] of found) memory.learn(hashSecret(secret), token, askedAt);
      return found;
    },
  });

  const ask = async (secret: string, address: string): Promise<Verification> => {
    const secretHash = hashSecret(secret);
    const isListed = list?.find(secretHash) !== undefined;
    if (memory.revocationOf(secretHash) === 'gone' && !isListed) return 'unknown';
    const askedAt = performance.now();
    const found = lookups.findStranger(secret, address);
    if (found === 'full') return 'unavailable';
    const token = await withDeadline(found, WAIT_MS, 'Unleash was not asked in time.');
    if (token === undefined) return 'unknown';
    if (memory.revocationOf(secretHash) === undefined) return { token, secretHash };
    const result = await checks.resultOf(secret);
    if (result !== 'known') return result === 'rejected' ? 'unknown' : 'unavailable';
    memory.restore(secretHash, token, askedAt);
    return { token, secretHash };
  };

  let isFailing = false;
  return {
    waiting: () => lookups.waiting(),
    recall(secret) {
      const secretHash = hashSecret(secret);
      const known = memory.findKnown(secretHash);
      if (known === undefined) return undefined;
      checks.checkIfDue(secret, known);
      return { token: known.token, secretHash };
    },
    async verify(secret, address) {
      // Opened at the first question, because not every process needs the tokens of Unleash.
      list ??= openList(options, memory);
      const secretHash = hashSecret(secret);
      if (memory.isUnknown(secretHash)) return 'unknown';
      try {
        const verification = await ask(secret, address);
        isFailing = false;
        if (verification === 'unknown') memory.setUnknown(secretHash);
        return verification;
      } catch (err) {
        // Logged once, because every request with an unknown token would log the same while Unleash is unreachable.
        if (!isFailing) log.warn({ err }, 'Unleash did not answer about a token');
        isFailing = true;
        return 'unavailable';
      }
    },
    async close() {
      await list?.stop();
    },
  };
}

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** A question about 500 secrets takes Unleash a second. The pause bounds the load by unknown callers to half of the time. */
function pauseAfter(durationMs: number): number {
  return Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, durationMs));
}

type Sources = { readonly list: TokenList | undefined; readonly unleash: Unleash };

/** Returns the tokens by secret: those in the list, and of the others those that Unleash calls valid. */
async function findTokens(
  secrets: readonly string[],
  { list, unleash }: Sources,
): Promise<Map<string, ApiToken>> {
  const validated = await validateTokens(
    unleash,
    secrets.filter((secret) => list?.find(hashSecret(secret)) === undefined),
  );
  const tokens = secrets.map((secret) => {
    const secretHash = hashSecret(secret);
    const token = list?.find(secretHash) ?? validated.get(secret);
    return [secret, token && apiTokenOf(secretHash, token)] as const;
  });
  return new Map(tokens.flatMap(([secret, token]) => (token === undefined ? [] : [[secret, token]])));
}

function openList(
  { url, adminToken, log, timing = TIMING }: UnleashTokensOptions,
  memory: TokenMemory,
): TokenList | undefined {
  if (adminToken === undefined) return undefined;
  return watchTokenList({
    unleash: createUnleash({ url }),
    adminSecret: adminToken,
    everyMs: timing.listMs,
    log,
    onRead(tokens, gone) {
      memory.confirm(tokens, performance.now());
      for (const secretHash of gone) memory.revoke(secretHash, 'gone');
    },
  });
}
