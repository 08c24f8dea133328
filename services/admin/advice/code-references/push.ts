import { type Postgres, type PostgresClient, inTransaction, isAhead } from '#base/postgres';
import { compileGuard } from '#base/schema';
import type { Caller } from '#base/tokens';
import { Denial, notValid } from '../../denial.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { recordDone } from '../../record/audit/store/record-entry.ts';
import { EXAMPLE, PLACE, SCANNED } from './example.ts';
import { SELECT_REPOSITORY } from './rows.ts';
import { type CodeRepository, MAX_PUSH_BYTES, type Push, pushSchema, repositorySchema } from './schema.ts';

/** Of all repositories together. With the limit of a push, this bounds the table. */
const MAX_BRANCHES = 1000;

export function pushReferences(db: Postgres): Operation {
  return {
    tag: 'Code',
    permission: 'PUSH_CODE_REFERENCES',
    id: 'pushCodeReferences',
    scope: 'installation',
    method: 'post',
    path: '/api/admin/code-references',
    summary: 'Replace the references of a branch, as flagmeter scan does',
    body: {
      schema: pushSchema,
      example: { ...SCANNED, references: [{ featureName: 'new-basket', ...PLACE }] },
      maxBytes: MAX_PUSH_BYTES,
    },
    answer: { status: 200, description: 'The branch.', schema: repositorySchema, example: EXAMPLE },
    problems: [409],
    run: withBody(compileGuard<Push>(pushSchema), ({ caller }, body) => push(db, body, caller)),
  };
}

/** Replaces what the branch had, unless that is of a later commit (but none of the future, by a clock that was ahead), or the branch is new and there are too many. */
function push(db: Postgres, pushed: Push, caller: Caller): Promise<CodeRepository> {
  return inTransaction(db, async (client) => {
    // The row stays locked until the end, so two pushes to a branch follow one another.
    const { rows } = await client.query<{ id: number }>(UPSERT, [
      pushed.repository,
      pushed.branch,
      pushed.commit,
      pushed.committedAt,
      pushed.linkTemplate ?? null,
      caller.name,
      pushed.leftOut ?? 0,
      MAX_BRANCHES,
    ]);
    const id = rows[0]?.id;
    if (id === undefined) throw await whyNotStored(client, pushed);
    await client.query('delete from code_references where repository_id = $1', [id]);
    await client.query(INSERT, [id, JSON.stringify(pushed.references)]);
    const stored = await client.query<CodeRepository>(
      `select ${SELECT_REPOSITORY} from code_repositories as r where r.id = $1`,
      [id],
    );
    const [repository] = stored.rows;
    if (repository === undefined) throw new Error('a locked branch is gone');
    recordDone(client, caller, { event: 'code-references-pushed', after: repository });
    return repository;
  });
}

async function whyNotStored(client: PostgresClient, { repository, branch }: Push): Promise<Denial> {
  const { rowCount } = await client.query('select from code_repositories where name = $1 and branch = $2', [
    repository,
    branch,
  ]);
  return rowCount === 0
    ? notValid('There are too many branches. Delete one that is scanned no more.')
    : new Denial(
        'LaterCommit',
        'References of a later commit of this branch are stored. If the branch went back, delete it first.',
      );
}

const UPSERT = `
  insert into code_repositories as known (name, branch, commit, committed_at, link_template, pushed_by, left_out)
  select $1::text, $2::text, $3, $4::timestamptz, $5, $6, $7
  where exists (select from code_repositories where name = $1::text and branch = $2::text)
    or (select count(*) from code_repositories) < $8
  on conflict (name, branch) do update
  set
    commit = excluded.commit,
    committed_at = excluded.committed_at,
    link_template = excluded.link_template,
    pushed_at = now(),
    pushed_by = excluded.pushed_by,
    left_out = excluded.left_out
  where known.committed_at <= excluded.committed_at
    or ${isAhead('known.committed_at')}
  returning id`;

/** A line with a call and a mention of a name is a call. */
const INSERT = `
  insert into code_references (repository_id, feature_name, path, line, kind)
  select $1, "featureName", path, line, min(kind)
  from jsonb_to_recordset($2::jsonb) as pushed ("featureName" text, path text, line integer, kind text)
  group by "featureName", path, line`;
