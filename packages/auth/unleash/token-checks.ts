import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#runtime';
import { hashSecret } from '#tokens';
import { type TokenCheck, checkToken, createUnleash } from '#unleash';
import type { KnownToken, TokenMemory } from './token-memory.ts';

export type TokenChecks = {
  /** Asks in the background whether Unleash still knows the secret, if it was not asked for a while. */
  checkIfDue(secret: string, known: KnownToken): void;
  /** Asks now. */
  verdictOn(secret: string): Promise<TokenCheck['verdict']>;
};

export type TokenChecksOptions = {
  readonly url: string;
  readonly memory: TokenMemory;
  readonly checkMs: number;
  readonly repeatMs: number;
};

/** Learns of revocations. A secret can only be asked about while a request carries it: we remember none. */
export function createTokenChecks({ url, memory, checkMs, repeatMs }: TokenChecksOptions): TokenChecks {
  const unleash = createUnleash({ url });
  const check = async (secret: string, known: KnownToken): Promise<void> => {
    const { askedAt } = known;
    const { verdict, etag } = await checkToken(unleash, secret, known.etag);
    known.etag = etag;
    if (verdict === 'known') known.confirmedAt = askedAt;
    if (verdict !== 'rejected') return;
    // A relay or an SDK that gets one 401 may stop for good, and what stands before Unleash may err for a moment.
    await sleep(repeatMs, undefined, { ref: false });
    const again = await checkToken(unleash, secret, undefined);
    if (again.verdict === 'rejected') memory.revoke(hashSecret(secret), 'rejected');
  };
  return {
    checkIfDue(secret, known) {
      const now = Date.now();
      if (now - known.askedAt < checkMs) return;
      known.askedAt = now;
      // Without an answer it goes on.
      inBackground(check(secret, known), () => undefined);
    },
    async verdictOn(secret) {
      return (await checkToken(unleash, secret, undefined)).verdict;
    },
  };
}
