import { inTransaction } from '#base/postgres';
import { notFound } from '../../denial.ts';
import { type Operation, idParameter } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import { EXAMPLE } from './example.ts';
import { SELECT_REPOSITORY } from './rows.ts';
import { type CodeRepository, repositoriesSchema } from './schema.ts';

const PATH = '/api/admin/code-references/repositories';

export function repositoryOperations({ db, lists }: AdminPools): Operation[] {
  return [
    {
      tag: 'Code',
      permission: 'READ',
      method: 'get',
      queue: 'lists',
      id: 'listCodeRepositories',
      scope: 'installation',
      path: PATH,
      summary: 'The scanned branches of repositories',
      answer: {
        status: 200,
        description: 'The branches.',
        schema: repositoriesSchema,
        example: { repositories: [EXAMPLE] },
      },
      async run() {
        const { rows } = await lists.query<CodeRepository>(
          `select ${SELECT_REPOSITORY} from code_repositories as r order by r.name, r.branch`,
        );
        return { repositories: rows };
      },
    },
    {
      tag: 'Code',
      permission: 'UPDATE_FEATURE',
      id: 'deleteCodeRepository',
      scope: 'installation',
      method: 'delete',
      path: `${PATH}/{codeRepositoryId}`,
      summary: 'Delete a branch that is scanned no more, with its references',
      answer: { status: 200, description: 'The branch was deleted.' },
      problems: [404],
      run: (request) =>
        inTransaction(db, async (client) => {
          const { rows } = await client.query<CodeRepository>(
            `with gone as (delete from code_repositories where id = $1 returning *)
             select ${SELECT_REPOSITORY} from gone as r`,
            [idParameter(request, 'codeRepositoryId')],
          );
          const [preData] = rows;
          if (preData === undefined) throw notFound('There is no such branch.');
          await recordEvent(client, { type: 'code-repository-deleted', caller: request.caller, preData });
        }),
    },
  ];
}
