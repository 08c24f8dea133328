import type { ApiToken, Creator, TokenType } from '#base/tokens';

export type StoredToken = ApiToken & {
  readonly type: TokenType;
  readonly createdAt: Date;
  readonly revokedAt: Date | undefined;
  readonly seenAt: Date | undefined;
  /** The last request from an IPv4 address, and from an IPv6 address. */
  readonly seenIpv4At: Date | undefined;
  readonly seenIpv6At: Date | undefined;
  /** Undefined for initial tokens. */
  readonly createdBy: Creator | undefined;
  /** The id of the token that it replaces, if any. */
  readonly successorOf: string | undefined;
};

export type TokenRow = {
  id: string;
  token_name: string;
  type: TokenType;
  environment: string;
  projects: string[];
  expires_at: Date | null;
  rate_limit: number | null;
  not_enabled_reasons: string[] | null;
  is_trusted: boolean;
  created_at: Date;
  revoked_at: Date | null;
  seen_at: Date | null;
  seen_ipv4_at: Date | null;
  seen_ipv6_at: Date | null;
  created_by: number | null;
  created_by_token: string | null;
  successor_of: string | null;
  origin: string | null;
};

/** Of the table `api_tokens`. */
export const COLUMNS = `
  id, token_name, type, environment, projects, expires_at, rate_limit, not_enabled_reasons, is_trusted, created_at, revoked_at,
  seen_at, seen_ipv4_at, seen_ipv6_at, created_by, created_by_token, successor_of, origin`;

export function toToken(row: TokenRow): StoredToken {
  return {
    id: row.id,
    name: row.token_name,
    type: row.type,
    environment: row.environment,
    projects: row.projects,
    expiresAt: row.expires_at?.getTime(),
    rateLimit: row.rate_limit ?? undefined,
    notEnabledReasons: row.not_enabled_reasons ?? undefined,
    isTrusted: row.is_trusted,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
    seenAt: row.seen_at ?? undefined,
    seenIpv4At: row.seen_ipv4_at ?? undefined,
    seenIpv6At: row.seen_ipv6_at ?? undefined,
    createdBy:
      row.created_by === null
        ? undefined
        : { userId: row.created_by, tokenId: row.created_by_token ?? undefined },
    successorOf: row.successor_of ?? undefined,
    origin: row.origin ?? undefined,
  };
}
