import { selectMembers } from '#base/postgres';
import { describedSchema, repositorySchema } from './schema.ts';

const OF_REPOSITORY = { table: 'r', sql: { repository: 'r.name' } } as const;

/** Of the table `r`, without its places. */
export const SELECT_DESCRIBED = selectMembers(describedSchema, OF_REPOSITORY);

/** Of the table `r`. */
export const SELECT_REPOSITORY = selectMembers(repositorySchema, {
  table: 'r',
  sql: {
    ...OF_REPOSITORY.sql,
    places: '(select count(*)::int from code_references as c where c.repository_id = r.id)',
  },
});
