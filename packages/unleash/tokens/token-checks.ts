import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';
import { hashSecret } from '#base/tokens';
import { type TokenCheck, checkToken, createUnleash } from '#unleash/client';
import type { KnownToken, TokenMemory } from './token-memory.ts';

export type TokenChecks = {
  /** Checks in the background whether Unleash still accepts the secret, if the last check is old enough. */
  checkIfDue(secret: string, known: KnownToken): void;
  /** Checks now. */
  resultOf(secret: string): Promise<TokenCheck['result']>;
};

export type TokenChecksOptions = {
  readonly url: string;
  readonly memory: TokenMemory;
  readonly checkMs: number;
  readonly repeatMs: number;
};

/** Detects revocations. We can check a secret only while a request carries it, because we store no secrets. */
export function createTokenChecks({ url, memory, checkMs, repeatMs }: TokenChecksOptions): TokenChecks {
  const unleash = createUnleash({ url });
  const check = async (secret: string, known: KnownToken): Promise<void> => {
    const { askedAt } = known;
    const { result, etag } = await checkToken(unleash, secret, known.etag);
    known.etag = etag;
    if (result === 'known') known.confirmedAt = askedAt;
    if (result !== 'rejected') return;
    // Checked twice, because a relay or SDK that gets one 401 may stop for good, and a proxy in front of Unleash may fail for a
    // moment.
    await sleep(repeatMs, undefined, { ref: false });
    const again = await checkToken(unleash, secret, undefined);
    if (again.result === 'rejected') memory.revoke(hashSecret(secret), 'rejected');
  };
  return {
    checkIfDue(secret, known) {
      const now = performance.now();
      if (now - known.askedAt < checkMs) return;
      known.askedAt = now;
      // Without an answer the token stays valid.
      inBackground(check(secret, known), () => undefined);
    },
    async resultOf(secret) {
      return (await checkToken(unleash, secret, undefined)).result;
    },
  };
}
