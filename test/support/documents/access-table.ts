import { csvOf } from '../../../tools/docs/csv.ts';
import { documented } from './documented.ts';

export type AccessRow = {
  readonly operation: string;
  readonly permission: string;
  readonly where: string;
  /** Whether each caller may call it, in the order of the columns. */
  readonly isAllowed: readonly boolean[];
};

/** The table of all operations and callers. */
export function accessTable(callers: readonly string[], rows: readonly AccessRow[]): string {
  return csvOf([
    ['operation', 'permission', 'where', ...callers],
    ...rows.map(({ operation, permission, where, isAllowed }) => [
      operation,
      permission,
      where,
      ...isAllowed.map((is) => (is ? 'yes' : '')),
    ]),
  ]);
}

/** The documented table. With ACCESS_TABLE=write, the file gets this one first. */
export function documentedAccess(content: string): string {
  return documented('docs/operate/people/operations-and-roles.csv', { variable: 'ACCESS_TABLE', content });
}
