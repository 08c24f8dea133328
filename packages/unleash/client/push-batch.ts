import type { Unleash, UnleashAnswer } from './client.ts';
import { UnleashError } from './unleash-error.ts';

/**
 * The outcome of sending a batch to Unleash:
 *   accepted    Unleash counts it
 *   rejected    Unleash does not count it, and never will
 *   failed      not counted yet: Unleash is unreachable or overloaded, does not accept the token, or has no such address
 *   unanswered  unknown
 */
export type PushOutcome =
  | { readonly outcome: 'accepted' | 'rejected'; readonly status: number }
  | { readonly outcome: 'failed'; readonly reason: FailureReason; readonly status?: number }
  | { readonly outcome: 'unanswered' };

export type FailureReason = 'unreachable' | 'overloaded' | 'token' | 'address';

export type Push = {
  /** A client token. */
  readonly secret: string;
  readonly body: {
    readonly applications: readonly unknown[];
    readonly metrics: readonly unknown[];
    readonly impactMetrics?: readonly unknown[] | undefined;
    readonly seenTokens?: readonly string[];
  };
  /** Ends the request, whose outcome is then `unanswered` if it was sent. */
  readonly signal?: AbortSignal;
};

/** Longer than Unleash takes under load, because a post that is given up too early is counted twice. */
const TIMEOUT_MS = 15_000;

/** Posts a batch. Unleash adds up everything that it receives, so the same batch must not be sent twice. */
export async function pushBatch(unleash: Unleash, push: Push): Promise<PushOutcome> {
  try {
    const path = '/api/client/metrics/bulk';
    return outcomeOf(await unleash.call({ method: 'POST', path, timeoutMs: TIMEOUT_MS, ...push }));
  } catch (error) {
    if (!(error instanceof UnleashError)) throw error;
    const isNotSent =
      error.code === 'unleash-busy' || (error.code === 'unleash-unreached' && isUnsent(error.cause));
    return isNotSent ? { outcome: 'failed', reason: 'unreachable' } : { outcome: 'unanswered' };
  }
}

const TOKEN_REJECTED: ReadonlySet<number> = new Set([401, 403]);
/** A wrong address, or a server that is not Unleash. An operator can correct it, like a wrong token. */
const NOT_FOUND = 404;
/** A request that timed out in Unleash, or exceeded its rate limit. */
const PASSING: ReadonlySet<number> = new Set([408, 429]);
/** A gateway whose wait for Unleash timed out. */
const GATEWAY_TIMEOUT = 504;

function outcomeOf({ status }: UnleashAnswer): PushOutcome {
  if (status >= 200 && status < 300) return { outcome: 'accepted', status };
  if (status === GATEWAY_TIMEOUT) return { outcome: 'unanswered' };
  if (TOKEN_REJECTED.has(status)) return { outcome: 'failed', reason: 'token', status };
  if (status === NOT_FOUND) return { outcome: 'failed', reason: 'address', status };
  if (status >= 400 && status < 500 && !PASSING.has(status)) return { outcome: 'rejected', status };
  return { outcome: 'failed', reason: 'overloaded', status };
}

/** Error codes of failures before any byte of the request was written. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return UNSENT.has(code) || isUnsent(error.cause);
}
