import type { CopiedTable } from '../copied-table.ts';
import { syncOf } from '../copy-table.ts';
import { textOfTime } from '../rows.ts';

type BranchRow = { readonly id: number; readonly size_bytes: number };

/** Each scanned branch with all its references as one row. */
export const CODE_REFERENCES: CopiedTable<BranchRow> = {
  name: 'code references',
  table: 'code_repositories',
  copies: 'code_repository_copies',
  identity: { id: 'integer' },
  columns: `
    t.id,
    t.name as repository,
    t.branch,
    t.commit,
    ${textOfTime('t.committed_at')} as committed_at,
    to_char(t.pushed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as pushed_at,
    coalesce(of_branch.feature_names, '{}') as feature_names,
    coalesce(of_branch.paths, '{}') as paths,
    coalesce(of_branch.lines, '{}') as lines,
    coalesce(of_branch.kinds, '{}') as kinds,
    coalesce(of_branch.size_bytes, 0)::int as size_bytes`,
  joins: `
    cross join lateral (
      select
        array_agg(c.feature_name order by c.feature_name, c.path, c.line) as feature_names,
        array_agg(c.path order by c.feature_name, c.path, c.line) as paths,
        array_agg(c.line order by c.feature_name, c.path, c.line) as lines,
        array_agg(c.kind order by c.feature_name, c.path, c.line) as kinds,
        sum(octet_length(c.feature_name) + octet_length(c.path) + 20) as size_bytes
      from code_references as c
      where c.repository_id = t.id
    ) as of_branch`,
  toCopy: ({ size_bytes: _, ...copy }) => copy,
};

export const syncCodeReferences = syncOf(CODE_REFERENCES);
