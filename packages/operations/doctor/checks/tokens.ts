import { findUnusedTokens } from '#auth';
import type { Postgres } from '#postgres';
import type { Now } from '../installation.ts';
import { type Check, ok, warn } from '../finding.ts';

const UNUSED_DAYS = 90;
const MAX_LISTED = 3;

/** Names tokens by their ids, because somebody else chose their names. */
export function tokensCheck(db: Postgres, now: Now): Check {
  return {
    name: 'unused tokens',
    run: async () => {
      const unused = await findUnusedTokens(db, new Date(now() - UNUSED_DAYS * 86_400_000));
      if (unused.length === 0)
        return ok(`Every valid token was used or created in the last ${UNUSED_DAYS} days.`);
      const others = unused.length > MAX_LISTED ? `, and ${unused.length - MAX_LISTED} more` : '';
      return warn(
        `These tokens were not used in the last ${UNUSED_DAYS} days: ${unused.slice(0, MAX_LISTED).join(', ')}${others}.`,
        'Revoke those that are no longer needed: flagmeter token revoke ID.',
      );
    },
  };
}
