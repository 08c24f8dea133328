import { type Postgres, type PostgresClient, inTransaction, selectMembers } from '#base/postgres';
import { notFound, notPermitted, outdated, ownedByUnleash } from '../../denial.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { type AdminRequest, nameParameter } from '../../http/operation.ts';
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

/** With the number of the transaction that wrote the row, which is its version. */
export const SELECT_VERSION = `${SELECT_STRATEGY}, xmin::text as version`;

export type StrategyRow = Strategy & { readonly version: string };

export function versioned({ version, ...strategy }: StrategyRow): Versioned {
  return new Versioned(Number(version), strategy);
}

/** Locks the row of the custom strategy of the request and runs `work` on it. */
export function changeStrategy<Result>(
  db: Postgres,
  request: AdminRequest,
  work: (client: PostgresClient, before: Strategy) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<StrategyRow & { source: string }>(
      `select ${SELECT_VERSION}, source
       from strategies
       where name = $1
       for update`,
      [nameParameter(request, 'strategyName')],
    );
    const { source, version, ...before } = found(rows[0]);
    if (!request.isCurrent(Number(version))) throw outdated('the strategy');
    if (source === 'unleash') throw ownedByUnleash('this strategy');
    if (!before.editable) throw notPermitted('Built-in strategies cannot be changed.');
    return work(client, before);
  });
}

export function found<Row extends Strategy>(strategy: Row | undefined): Row {
  if (strategy === undefined) throw notFound('There is no such strategy.');
  return strategy;
}
