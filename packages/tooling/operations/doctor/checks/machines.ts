import { readMachines } from '#base/auth';
import type { Postgres } from '#base/postgres';
import { type Check, fail, ok } from '../finding.ts';

/** It judges the processes that run, whatever settings this command has. */
export function machinesCheck(db: Postgres): Check {
  return {
    name: 'machines',
    run: async () => {
      const { names, areApart } = await readMachines(db);
      if (!areApart) return ok('All processes that run hear of revoked tokens at once.');
      return fail(
        `Not all of these hear at once of tokens that others revoke, and they do not share request rates: ${names.join(', ')}.`,
        'With several machines REDIS_URL is required: set it to the same Redis in every process.',
      );
    },
  };
}
