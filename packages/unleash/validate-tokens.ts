import type { TokenType } from '#tokens';
import { jsonOf } from './answers.ts';
import type { Unleash } from './client.ts';
import { isObject, projectsOf, tokenTypeOf } from './token-fields.ts';
import { UnleashError } from './unleash-error.ts';

/** What Unleash says of the holder of a secret. */
export type UnleashToken = {
  readonly type: TokenType;
  /** '*' is every one. */
  readonly environment: string;
  /** Empty is every one. */
  readonly projects: readonly string[];
};

/** Edge gives up after five seconds; 500 secrets take one. */
const TIMEOUT_MS = 2500;
/** Unleash rejects a body beyond 102,400. */
const MAX_BODY_BYTES = 90_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * The tokens with these secrets, by secret; Unleash does not know the others. Unleash is not current here: a deleted token stays
 * listed for minutes. We send no Authorization: with a frontend token Unleash answers 403.
 */
export async function validateTokens(
  unleash: Unleash,
  secrets: readonly string[],
): Promise<Map<string, UnleashToken>> {
  const found = new Map<string, UnleashToken>();
  for (const tokens of inBodies(secrets)) {
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

/** Parts of a list whose JSON fits into a body each. */
function inBodies(secrets: readonly string[]): string[][] {
  const bodies: string[][] = [];
  let room = 0;
  for (const secret of secrets) {
    const bytes = Buffer.byteLength(JSON.stringify(secret)) + 1;
    if (bytes > room) {
      bodies.push([]);
      room = MAX_BODY_BYTES;
    }
    bodies.at(-1)?.push(secret);
    room -= bytes;
  }
  return bodies;
}

/** An answer of which we understand a part only is an error: a token that we leave out would be rejected. */
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
