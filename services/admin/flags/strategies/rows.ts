import { type Postgres, type PostgresClient, inTransaction, selectMembers } from '#base/postgres';
import { notFound, notPermitted, ownedByUnleash } from '../../denial.ts';
import { type Strategy, strategySchema } from './schema.ts';

/** In the OpenAPI document. */
export const EXAMPLE = {
  title: null,
  name: 'by-country',
  displayName: null,
  description: 'On in some countries',
  editable: true,
  deprecated: false,
  parameters: [{ name: 'countries', type: 'list', description: 'ISO codes', required: true }],
} satisfies Strategy;

export const SELECT_STRATEGY = selectMembers(strategySchema, { sql: { editable: 'not built_in' } });

/** Locks the row of a custom strategy and runs `work` on it. */
export function changeStrategy(
  db: Postgres,
  name: string,
  work: (client: PostgresClient, before: Strategy) => Promise<Strategy>,
): Promise<Strategy> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Strategy & { source: string }>(
      `select ${SELECT_STRATEGY}, source
       from strategies
       where name = $1
       for update`,
      [name],
    );
    const { source, ...before } = found(rows[0]);
    if (source === 'unleash') throw ownedByUnleash('this strategy');
    if (!before.editable) throw notPermitted('Built-in strategies cannot be changed.');
    return work(client, before);
  });
}

export function found<Row extends Strategy>(strategy: Row | undefined): Row {
  if (strategy === undefined) throw notFound('There is no such strategy.');
  return strategy;
}
