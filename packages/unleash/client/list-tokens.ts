import { jsonOf } from './answers.ts';
import type { Unleash } from './client.ts';
import { isObject, projectsOf, tokenTypeOf } from './token-fields.ts';
import { UnleashError } from './unleash-error.ts';
import type { UnleashToken } from './validate-tokens.ts';

export type ListedToken = UnleashToken & {
  readonly secret: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number | undefined;
};

const TIMEOUT_MS = 10_000;
/** 2,000 tokens take 461 kB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** All tokens that the owner of this secret may see. Unlike `validateTokens` it is current: a deleted token disappears at once. */
export async function listTokens(
  unleash: Unleash,
  adminSecret: string,
  signal: AbortSignal,
): Promise<ListedToken[]> {
  const answer = await unleash.call({
    path: '/api/admin/api-tokens',
    secret: adminSecret,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  });
  const list = jsonOf(answer);
  if (!isObject(list) || !Array.isArray(list['tokens']))
    throw new UnleashError('unleash-answer', 'Unleash answered no list of tokens.');
  return list['tokens'].flatMap((item: unknown) => parseToken(item) ?? []);
}

/** Undefined for an unknown kind of token. `validateTokens` may know it. */
function parseToken(item: unknown): ListedToken | undefined {
  if (!isObject(item)) return undefined;
  const { secret, environment, expiresAt } = item;
  const type = tokenTypeOf(item['type']);
  const projects = projectsOf(item['projects']);
  if (typeof secret !== 'string' || typeof environment !== 'string') return undefined;
  if (type === undefined || projects === undefined) return undefined;
  const expiry = typeof expiresAt === 'string' ? Date.parse(expiresAt) : undefined;
  return { secret, type, environment, projects, expiresAt: expiry };
}
