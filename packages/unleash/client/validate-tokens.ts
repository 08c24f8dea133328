import type { TokenType } from '#base/tokens';
import { jsonOf } from './answers.ts';
import { inBodies } from './bodies.ts';
import type { Unleash } from './client.ts';
import { isObject, projectsOf, tokenTypeOf } from './token-fields.ts';
import { UnleashError } from './unleash-error.ts';

/** The description of a token by Unleash. */
export type UnleashToken = {
  readonly type: TokenType;
  /** '*' means every environment. */
  readonly environment: string;
  /** Empty means every project. */
  readonly projects: readonly string[];
};

/** Edge gives up after five seconds; 500 secrets take one. */
const TIMEOUT_MS = 2500;
/** Unleash rejects a body of more than 102,400 bytes. */
const MAX_BODY_BYTES = 90_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * The tokens with these secrets, by secret; Unleash does not know the others. This answer is not current: a deleted token stays
 * listed for minutes. We send no Authorization header, because Unleash answers 403 if it has a frontend token.
 */
export async function validateTokens(
  unleash: Unleash,
  secrets: readonly string[],
): Promise<Map<string, UnleashToken>> {
  const found = new Map<string, UnleashToken>();
  for (const tokens of inBodies(secrets, MAX_BODY_BYTES)) {
    const answer = await unleash.call({
      method: 'POST',
      path: '/edge/validate',
      body: { tokens },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    });
    for (const [secret, token] of parseTokens(jsonOf(answer))) found.set(secret, token);
  }
  return found;
}

/** A partly invalid answer is an error, because a token that we left out would be rejected. */
function parseTokens(answer: unknown): [string, UnleashToken][] {
  if (!isObject(answer) || !Array.isArray(answer['tokens'])) throw misunderstood();
  return answer['tokens'].map((item: unknown) => {
    if (!isObject(item)) throw misunderstood();
    const { token: secret, type: typeName, environment } = item;
    const type = tokenTypeOf(typeName);
    const projects = projectsOf(item['projects']);
    if (typeof secret !== 'string' || typeof environment !== 'string') throw misunderstood();
    if (type === undefined || projects === undefined) throw misunderstood();
    return [secret, { type, environment, projects }];
  });
}

function misunderstood(): UnleashError {
  return new UnleashError('unleash-answer', 'Unleash answered another list of tokens than its API has.');
}
