import type { Unleash } from './client.ts';

const TIMEOUT_MS = 5000;

/**
 * The result of checking a secret: Unleash knows it, rejects it (401), or the answer proves nothing (`open`). If we send the
 * ETag of the last answer, Unleash need not build the features again.
 */
export type TokenCheck = {
  readonly result: 'known' | 'rejected' | 'open';
  readonly etag: string | undefined;
};

/** A token of another type gets 403, but only if Unleash knows it. */
const KNOWN = [200, 304, 403];

/** Requests the features with a secret. This API notices a deleted token within a minute; `/edge/validate` does not. */
export async function checkToken(
  unleash: Unleash,
  secret: string,
  etag: string | undefined,
): Promise<TokenCheck> {
  const { status, headers } = await unleash.call({
    method: 'HEAD',
    path: '/api/client/features',
    secret,
    ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
    timeoutMs: TIMEOUT_MS,
  });
  const result = status === 401 ? 'rejected' : KNOWN.includes(status) ? 'known' : 'open';
  return { result, etag: headers.get('etag') ?? etag };
}
