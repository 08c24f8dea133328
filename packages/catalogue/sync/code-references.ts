import { type ClickHouse, readRows } from '#clickhouse';
import { type Postgres, pageOf, readPages } from '#postgres';
import { insertPages, insertRows, textOfTime } from './rows.ts';

type BranchRow = { readonly id: number; readonly size_bytes: number };

/** Copies each scanned branch with all its references as one row, if it was pushed again, and which branches were deleted. */
export async function syncCodeReferences(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  const copied = await readRows<{ id: number; pushed_at: string }>(
    clickhouse,
    'select id, toString(pushed_at) as pushed_at from code_repository_copies final',
  );
  const { rows: pushed } = await db.query<{ id: number; pushed_at: string }>(
    `select id, ${PUSHED_AT} as pushed_at from code_repositories`,
  );
  const known = new Map(copied.map(({ id, pushed_at }) => [id, pushed_at]));
  const existing = new Set(pushed.map(({ id }) => id));
  await insertRows(
    clickhouse,
    'code_repository_copies',
    copied.filter(({ id }) => !existing.has(id)).map(({ id }) => ({ id, is_gone: 1 })),
  );
  const changed = pushed.filter(({ id, pushed_at }) => known.get(id) !== pushed_at).map(({ id }) => id);
  if (changed.length === 0) return;
  const pages = await readPages<BranchRow>(async (last) => {
    const page = await db.query<BranchRow>(BRANCHES, [changed, last?.id ?? 0]);
    return page.rows;
  });
  await insertPages(
    clickhouse,
    { table: 'code_repository_copies', pages },
    ({ size_bytes: _, ...copy }) => copy,
  );
}

/** As ClickHouse prints it. */
const PUSHED_AT = `to_char(pushed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;

const BRANCHES = pageOf({
  from: `
    select
      r.id,
      r.name as repository,
      r.branch,
      r.commit,
      ${textOfTime('r.committed_at')} as committed_at,
      ${PUSHED_AT} as pushed_at,
      coalesce(of_branch.feature_names, '{}') as feature_names,
      coalesce(of_branch.paths, '{}') as paths,
      coalesce(of_branch.lines, '{}') as lines,
      coalesce(of_branch.kinds, '{}') as kinds,
      coalesce(of_branch.size_bytes, 0)::int as size_bytes
    from code_repositories as r
    cross join lateral (
      select
        array_agg(c.feature_name order by c.feature_name, c.path, c.line) as feature_names,
        array_agg(c.path order by c.feature_name, c.path, c.line) as paths,
        array_agg(c.line order by c.feature_name, c.path, c.line) as lines,
        array_agg(c.kind order by c.feature_name, c.path, c.line) as kinds,
        sum(octet_length(c.feature_name) + octet_length(c.path) + 20) as size_bytes
      from code_references as c
      where c.repository_id = r.id
    ) as of_branch
    where r.id = any ($1)
      and r.id > $2`,
  order: 'id',
});
