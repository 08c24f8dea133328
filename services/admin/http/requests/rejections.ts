import type { Context } from 'koa';
import type { StoredCredential } from '#auth';
import { type HttpProblem, addressOf } from '#http';
import { type Log, inBackground } from '#runtime';
import { hashSecret, secretOf } from '#tokens';
import type { Operation } from '../operation.ts';
import { readCookie } from './cookies.ts';

/** The number of lines per minute: for each address, for each token, and in all. */
const LINES = { each: 20, all: 100 };
const WINDOW_MS = 60_000;

export type LogRejection = (
  ctx: Pick<Context, 'headers' | 'ip'>,
  operation: Pick<Operation, 'id'>,
  problem: HttpProblem,
) => void;

export type RejectionLogOptions = {
  readonly log: Log;
  /** The name of the cookie of a session; undefined unless people sign in. */
  readonly sessionCookie: string | undefined;
  /** Finds any token or session, also a revoked or expired one. */
  readonly findCredential: (secretHash: string) => Promise<StoredCredential | undefined>;
};

/**
 * Logs rejected callers (401 and 403) with the id of their token, never with its secret. The look-ups of tokens are bounded with
 * the lines.
 */
export function createRejectionLog({
  log,
  sessionCookie,
  findCredential,
}: RejectionLogOptions): LogRejection {
  const lines = createLineBudget(LINES, WINDOW_MS);
  const write = async (line: object, secretHash: string | undefined): Promise<void> => {
    try {
      const found = secretHash === undefined ? undefined : await findCredential(secretHash);
      const token = secretHash === undefined ? 'none' : (found?.state ?? 'unknown');
      log.warn({ ...line, token, tokenId: found?.id, userId: found?.userId }, 'admin request rejected');
    } catch (err) {
      log.warn({ ...line, err }, 'admin request rejected');
    }
  };
  return ({ headers, ip }, { id }, { status }) => {
    if (status !== 401 && status !== 403) return;
    const { authorization = '' } = headers;
    const inCookie = sessionCookie === undefined ? undefined : readCookie(headers, sessionCookie);
    const secret = authorization === '' ? inCookie : secretOf(authorization);
    const secretHash = secret === undefined ? undefined : hashSecret(secret);
    const address = addressOf(ip);
    const { isAllowed, dropped } = lines.take([address, secretHash ?? ''], Date.now());
    if (dropped > 0) log.warn({ dropped }, 'rejected admin requests not logged');
    if (isAllowed) inBackground(write({ operation: id, status, address }, secretHash));
  };
}

type Taken = {
  readonly isAllowed: boolean;
  /** The lines that were not allowed in the window that has just ended. */
  readonly dropped: number;
};

/** Bounds lines in each window, for each key and in all. It remembers at most as many keys as lines. */
export function createLineBudget({ each, all }: typeof LINES, windowMs: number) {
  const byKey = new Map<string, number>();
  let total = 0;
  let dropped = 0;
  let endsAt = 0;
  return {
    take(keys: readonly string[], now: number): Taken {
      const ended = now >= endsAt ? dropped : 0;
      if (now >= endsAt) {
        byKey.clear();
        [total, dropped, endsAt] = [0, 0, now + windowMs];
      }
      const named = keys.filter((key) => key !== '');
      const isAllowed = total < all && named.every((key) => (byKey.get(key) ?? 0) < each);
      if (isAllowed) {
        total += 1;
        for (const key of named) byKey.set(key, (byKey.get(key) ?? 0) + 1);
      } else dropped += 1;
      return { isAllowed, dropped: ended };
    },
  };
}
