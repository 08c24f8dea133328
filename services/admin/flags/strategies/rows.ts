import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { notFound, notPermitted, ownedByUnleash } from '../../denial.ts';
import type { Strategy } from './schema.ts';

/** In the OpenAPI document. */
export const EXAMPLE = {
  title: null,
  name: 'by-country',
  displayName: null,
  description: 'On in some countries',
  editable: true,
  deprecated: false,
  parameters: [{ name: 'countries', type: 'list', description: 'ISO codes', required: true }],
};

export type StrategyRow = {
  title: string | null;
  name: string;
  display_name: string | null;
  description: string | null;
  built_in: boolean;
  deprecated: boolean;
  parameters: Strategy['parameters'];
};

export const STRATEGY_COLUMNS = 'title, name, display_name, description, built_in, deprecated, parameters';

/** Locks the row of a custom strategy and runs `work` on it. */
export function changeStrategy(
  db: Postgres,
  name: string,
  work: (client: PostgresClient, before: Strategy) => Promise<Strategy>,
): Promise<Strategy> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<StrategyRow & { source: string }>(
      `select ${STRATEGY_COLUMNS}, source
       from strategies
       where name = $1
       for update`,
      [name],
    );
    const before = found(rows.map(toStrategy)[0]);
    if (rows[0]?.source === 'unleash') throw ownedByUnleash('this strategy');
    if (!before.editable) throw notPermitted('Built-in strategies cannot be changed.');
    return work(client, before);
  });
}

export function found(strategy: Strategy | undefined): Strategy {
  if (strategy === undefined) throw notFound('There is no such strategy.');
  return strategy;
}

export function toStrategy(row: StrategyRow): Strategy {
  const { title, name, description, deprecated, parameters } = row;
  return {
    title,
    name,
    displayName: row.display_name,
    description,
    editable: !row.built_in,
    deprecated,
    parameters,
  };
}
