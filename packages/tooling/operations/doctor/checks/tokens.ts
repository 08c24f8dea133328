import { WARNED_DAYS, findEndingTokens, findLongLivedTokens, findUnusedTokens } from '#base/auth';
import type { Postgres } from '#base/postgres';
import type { MaxTokenDays } from '#base/tokens';
import type { Now } from '../installation.ts';
import { type Check, ok, warn } from '../finding.ts';

const UNUSED_DAYS = 90;
const MAX_LISTED = 3;

/** They name tokens by their ids, because somebody else chose their names. */
export function tokenChecks(db: Postgres, maxDays: MaxTokenDays, now: Now): Check[] {
  return [
    {
      name: 'unused tokens',
      run: async () => {
        const unused = await findUnusedTokens(db, new Date(now() - UNUSED_DAYS * 86_400_000));
        if (unused.length === 0)
          return ok(`Every valid token was used or created in the last ${UNUSED_DAYS} days.`);
        return warn(
          `These tokens were not used in the last ${UNUSED_DAYS} days: ${listOf(unused)}.`,
          'Revoke those that are no longer needed: flagmeter token revoke ID.',
        );
      },
    },
    {
      name: 'ending tokens',
      run: async () => {
        const [days] = WARNED_DAYS;
        const ending = await findEndingTokens(db);
        if (ending.length === 0) return ok(`No valid token ends within ${days} days.`);
        return warn(
          `These tokens end within ${days} days: ${listOf(ending.map(({ id }) => id))}.`,
          'Replace those that are needed: flagmeter token rotate ID, or a new personal token.',
        );
      },
    },
    {
      name: 'token lifetimes',
      run: async () => {
        const long = await findLongLivedTokens(db, maxDays);
        if (long.length === 0) return ok('No valid token lasts longer than the settings allow for new ones.');
        return warn(
          `These tokens last longer than the settings allow for new ones: ${listOf(long)}.`,
          'Replace them: flagmeter token rotate ID, or a new personal token.',
        );
      },
    },
  ];
}

function listOf(ids: readonly string[]): string {
  const others = ids.length > MAX_LISTED ? `, and ${ids.length - MAX_LISTED} more` : '';
  return `${ids.slice(0, MAX_LISTED).join(', ')}${others}`;
}
