import type { PersonalTokenRecord } from '../schema.ts';

export type TokenRow = {
  id: string;
  description: string;
  created_at: Date;
  expires_at: Date;
  created_by: number | null;
  created_by_token: string | null;
};

/** Of the table `t`. */
export const TOKEN_COLUMNS =
  't.id, t.description, t.created_at, t.expires_at, t.created_by, t.created_by_token';

export function toRecord(row: TokenRow): PersonalTokenRecord {
  return {
    id: row.id,
    description: row.description,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    createdByUserId: row.created_by,
    createdByTokenId: row.created_by_token,
  };
}
