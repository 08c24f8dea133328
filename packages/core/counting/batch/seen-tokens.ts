/** More tokens than a relay has; the rest are ignored. */
const MAX_SEEN_TOKENS = 1000;
const MAX_SECRET_LENGTH = 500;

/**
 * Secrets in a batch's `seenTokens`: tokens that clients of the relay used. The list is only informative, so invalid items are
 * ignored and do not cost the batch.
 */
export function seenTokensOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('seenTokens' in body)) return [];
  const { seenTokens } = body;
  if (!Array.isArray(seenTokens)) return [];
  return seenTokens.slice(0, MAX_SEEN_TOKENS).filter(isSecret);
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_SECRET_LENGTH;
}
