import type { CodeRepository, DescribedRepository } from './schema.ts';

export type RepositoryRow = {
  readonly id: number;
  readonly name: string;
  readonly branch: string;
  readonly commit: string;
  readonly committed_at: Date;
  readonly link_template: string | null;
  readonly left_out: number;
  readonly pushed_at: Date;
  readonly pushed_by: string;
  readonly places: number;
};

/** Of the table as `r`. */
export const REPOSITORY_COLUMNS = `
  r.id, r.name, r.branch, r.commit, r.committed_at, r.link_template, r.left_out, r.pushed_at, r.pushed_by,
  (select count(*)::int from code_references as c where c.repository_id = r.id) as places`;

export function toRepository(row: RepositoryRow): CodeRepository {
  return { ...toDescribed(row), places: row.places };
}

export function toDescribed({ name, ...row }: Omit<RepositoryRow, 'places'>): DescribedRepository {
  return {
    id: row.id,
    repository: name,
    branch: row.branch,
    commit: row.commit,
    committedAt: row.committed_at.toISOString(),
    linkTemplate: row.link_template,
    leftOut: row.left_out,
    pushedAt: row.pushed_at.toISOString(),
    pushedBy: row.pushed_by,
  };
}
