import { hash } from 'node:crypto';
import { PAGE_ROWS, type Pages, type Postgres, mapPages, pageOf, readPages } from '#base/postgres';

/** An entry as its hash sees it. */
export type Link = {
  readonly sequence: number;
  /** To the microsecond: 2026-11-26T10:15:00.492123Z. */
  readonly at: string;
  readonly previousHash: string;
  /** The stored text. */
  readonly content: string;
  readonly hash: string;
};

/** The hash of an entry. The function `audit_hash` of Postgres computes the stored one. */
export function hashOf({ sequence, at, previousHash, content }: Omit<Link, 'hash'>): string {
  return hash('sha256', [sequence, at, previousHash, content].join('\n'));
}

type Row = {
  sequence: string;
  at: string;
  previous_hash: string;
  content: string;
  hash: string;
  size_bytes: number;
};

const PAGE = pageOf({
  from: `
    select
      sequence, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, previous_hash,
      content::text as content, hash, size_bytes
    from public.audit_entries
    where sequence > $1::bigint`,
  order: 'sequence',
  maxRows: PAGE_ROWS,
});

/** All entries, the oldest first. */
export async function readChain(db: Postgres): Promise<Pages<Link>> {
  const pages = await readPages<Row>(async (last) => {
    const { rows } = await db.query<Row>(PAGE, [last?.sequence ?? '0']);
    return rows;
  });
  return mapPages(pages, ({ sequence, at, previous_hash, content, hash: stored }) => ({
    sequence: Number(sequence),
    at,
    previousHash: previous_hash,
    content,
    hash: stored,
  }));
}
