import { onlyMembers } from '#base/postgres';
import { type User, userSchema } from '../../../people/users/schema.ts';
import { SELECT_USER } from '../../../people/users/store.ts';
import type { UsersQuery } from '../schemas.ts';
import { type Conditions, type Listing, containsText, createConditions, patternOf } from './page.ts';

const ID = { column: 'id', sql: 'id', kind: 'number' } as const;
/** What people see of a user. */
const NAME = "lower(coalesce(nullif(name, ''), username, email, ''))";

/** Users are few, so that no index is needed. */
export const userListing: Listing<User & { size_bytes: number }, User> = {
  select: `
    select ${SELECT_USER}, created_at, ${NAME} as shown_name, coalesce(octet_length(image_url), 0) as size_bytes
    from users`,
  sorts: {
    id: [ID],
    createdAt: [{ column: 'created_at', sql: 'created_at', kind: 'time' }, ID],
    name: [{ column: 'shown_name', sql: NAME, kind: 'text' }, ID],
  },
  toItem: (row) => onlyMembers(userSchema, row),
};

const TEXTS = ["coalesce(username, '')", "coalesce(email, '')", "coalesce(name, '')"];

export function usersThat({ search, rootRole }: UsersQuery): Conditions {
  const conditions = createConditions();
  const { put, where } = conditions;
  where('deleted_at is null');
  where('not is_system');
  if (search !== undefined) where(containsText(TEXTS, put(patternOf(search))));
  if (rootRole !== undefined) where(`root_role = ${put(rootRole)}`);
  return conditions;
}
