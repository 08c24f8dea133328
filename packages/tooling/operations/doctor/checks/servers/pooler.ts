import { type Pooling, readPooling } from '#base/postgres';
import type { PostgresAccess } from '#base/runtime';
import { type Check, type Judgement, fail, ok, warn } from '../../finding.ts';

/** `readStatementTimeout`: how long a statement may take on a connection of a service. */
export function poolerCheck(access: PostgresAccess, readStatementTimeout: () => Promise<string>): Check {
  return {
    name: 'Postgres pooler',
    run: async () => judge(await readPooling(access), await readStatementTimeout()),
  };
}

/** '0' is no limit: the pooler has left out the parameter with which we connect. */
function judge(pooling: Pooling, statementTimeout: string): Judgement {
  if (pooling === 'statement')
    return fail(
      'A pooler in front of Postgres shares connections by statement, so no change can be made.',
      'Set its pool mode to transaction or session.',
    );
  if (statementTimeout === '0')
    return warn(
      'Postgres does not end statements that take too long: a pooler leaves out our time limits.',
      'Set statement_timeout and idle_in_transaction_session_timeout for the roles of flagmeter (docs/operate/start.md).',
    );
  return ok(SENTENCES[pooling]);
}

const SENTENCES = {
  none: 'No pooler is in front of Postgres.',
  session: 'A pooler in front of Postgres gives each client a connection of its own.',
  transaction:
    'A pooler in front of Postgres shares connections by transaction: backup and restore need Postgres itself.',
} as const;
