import { type Pages, type Postgres, firstOf, mapPages, pageOf, readPages } from '#base/postgres';
import type { AuditEntry } from './schema.ts';
import type { Outcome } from './store/record-entry.ts';

/** Undefined matches everything. */
export type AuditFilter = {
  readonly userId: number | undefined;
  readonly operation: string | undefined;
  readonly outcome: string | undefined;
  readonly project: string | undefined;
  /** The first time that belongs to the list. */
  readonly since: string | undefined;
  /** The first time that no longer belongs to it. */
  readonly until: string | undefined;
  /** Only entries with a lower number. */
  readonly before: number | undefined;
};

export type AuditReader = ReturnType<typeof createAuditReader>;

type Row = {
  sequence: string;
  at: Date;
  operation: string;
  outcome: Outcome;
  event: string | null;
  status: number | null;
  reason: string | null;
  userId: number | null;
  user: string | null;
  credential: string | null;
  credentialId: string | null;
  address: string | null;
  parameters: Record<string, unknown> | null;
  project: string | null;
  environment: string | null;
  featureName: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  hash: string;
  size_bytes: number;
  bytes_before: string;
};

export function createAuditReader(db: Postgres) {
  return {
    /** At most so many entries, newest first. */
    async list(filter: AuditFilter, limit: number): Promise<Pages<AuditEntry>> {
      const { userId, operation, outcome, project, since, until, before } = filter;
      const chosen = [userId, operation, outcome, project, since, until];
      const pages = await readPages<Row>(async (last) => {
        const { rows } = await db.query<Row>(PAGE, [last?.sequence ?? before, ...chosen]);
        return rows;
      });
      return firstOf(mapPages(pages, toEntry), limit);
    },
  };
}

const PAGE = pageOf({
  from: `
    select
      a.sequence, a.at, operation, outcome, event, status, reason, user_id as "userId", user_name as "user", credential,
      credential_id as "credentialId", address, parameters, project, environment, feature_name as "featureName", before,
      after, a.hash, e.size_bytes
    from public.audit as a
    join public.audit_entries as e using (sequence)
    where ($1::bigint is null or a.sequence < $1)
      and ($2::integer is null or user_id = $2)
      and ($3::text is null or operation = $3)
      and ($4::text is null or outcome = $4)
      and ($5::text is null or project = $5)
      and ($6::timestamptz is null or a.at >= $6)
      and ($7::timestamptz is null or a.at < $7)`,
  order: 'sequence desc',
});

function toEntry({ sequence, at, size_bytes: _size, bytes_before: _before, ...row }: Row): AuditEntry {
  return { ...row, sequence: Number(sequence), at: at.toISOString() };
}
