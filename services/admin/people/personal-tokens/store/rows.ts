import type { PersonalTokenRecord } from '../schema.ts';

export type TokenRow = {
  id: string;
  description: string;
  created_at: Date;
  expires_at: Date;
  seen_at: Date | null;
  seen_ipv4_at: Date | null;
  seen_ipv6_at: Date | null;
  created_by: number | null;
  created_by_token: string | null;
};

/** Of the table `t`. */
export const TOKEN_COLUMNS = `
  t.id, t.description, t.created_at, t.expires_at, t.seen_at, t.seen_ipv4_at, t.seen_ipv6_at, t.created_by,
  t.created_by_token`;

export function toRecord(row: TokenRow): PersonalTokenRecord {
  return {
    id: row.id,
    description: row.description,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    seenAt: row.seen_at?.toISOString() ?? null,
    seenIpv4At: row.seen_ipv4_at?.toISOString() ?? null,
    seenIpv6At: row.seen_ipv6_at?.toISOString() ?? null,
    createdByUserId: row.created_by,
    createdByTokenId: row.created_by_token,
  };
}
