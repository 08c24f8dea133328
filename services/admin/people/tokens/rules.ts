import {
  type ApiToken,
  type MaxTokenDays,
  type NewToken,
  type TokenType,
  createSecret,
  latestEnd,
  termsOf,
} from '#base/tokens';

type StoredToken = ApiToken & {
  readonly type: TokenType;
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
};

type ReplacedToken = { readonly token: StoredToken; readonly successor: StoredToken | undefined };

/** How a token is replaced. */
export type RotationTerms = {
  /** How long the old token stays valid. */
  readonly overlapMs: number;
  /** The end of the new token in epoch milliseconds, null for none. Undefined: it lasts as long as the old one was to last. */
  readonly expiresAt: number | null | undefined;
  readonly maxTokenDays: MaxTokenDays;
};

/**
 * A token with the same name and rights, and a new secret. If an earlier successor was revoked, the end of `token` is only that of its
 * overlap, so the successor says how long it was to last.
 */
export function successorOf(
  { token, successor }: ReplacedToken,
  terms: RotationTerms,
  now: number,
): NewToken {
  const { type, projects, environment } = token;
  const expiresAt =
    terms.expiresAt === undefined
      ? sameLife(successor ?? token, terms.maxTokenDays, now)
      : (terms.expiresAt ?? undefined);
  return { ...termsOf(token), type, expiresAt, secret: createSecret(projects, environment) };
}

function sameLife(
  { type, createdAt, expiresAt }: StoredToken,
  maxTokenDays: MaxTokenDays,
  now: number,
): number | undefined {
  const latest = latestEnd(type, maxTokenDays, now);
  if (expiresAt === undefined) return latest;
  return Math.min(now + expiresAt - createdAt.getTime(), latest ?? Infinity);
}

/** Whether a token is neither revoked nor expired. */
export function isValid({ revokedAt, expiresAt }: StoredToken, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}
