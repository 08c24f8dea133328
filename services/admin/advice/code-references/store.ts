import { inTransaction } from '#base/postgres';
import type { Caller, Visible } from '#base/tokens';
import { notFound } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import type { CodeRepository, Push } from './schema.ts';
import { pushReferences } from './store/push.ts';
import { readCounts, readFeatureNames, readOfFeature } from './store/read.ts';
import { REPOSITORY_COLUMNS, type RepositoryRow, toRepository } from './store/rows.ts';

export type CodeReferences = ReturnType<typeof createCodeReferences>;

/** Where the code of repositories names features. */
export function createCodeReferences({ db, lists }: AdminPools) {
  return {
    push: (push: Push, caller: Caller) => pushReferences(db, push, caller),
    ofFeature: (featureName: string) => readOfFeature(lists, featureName),
    counts: (visible: Visible) => readCounts(lists, visible),
    featureNames: (project: string | undefined, visible: Visible) =>
      readFeatureNames(lists, project, visible),

    async repositories(): Promise<CodeRepository[]> {
      const { rows } = await lists.query<RepositoryRow>(
        `select ${REPOSITORY_COLUMNS} from code_repositories as r order by r.name, r.branch`,
      );
      return rows.map(toRepository);
    },

    /** Deletes a branch with its references. */
    delete: (id: number, caller: Caller): Promise<void> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<RepositoryRow>(
          `with gone as (delete from code_repositories where id = $1 returning *)
           select ${REPOSITORY_COLUMNS} from gone as r`,
          [id],
        );
        const [repository] = rows.map(toRepository);
        if (repository === undefined) throw notFound('There is no such branch.');
        await recordEvent(client, { type: 'code-repository-deleted', caller, preData: repository });
      }),
  };
}
