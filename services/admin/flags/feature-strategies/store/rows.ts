import type { Postgres, PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound } from '../../../denial.ts';
import type { ParameterDefinition } from '../rules.ts';
import type { FeatureStrategy } from '../schema.ts';

export type StrategyPlace = {
  readonly project: string;
  readonly feature: string;
  readonly environment: string;
  readonly caller: Caller;
  readonly changeRequestId?: number;
};

/** A strategy as it is stored: its position in the list is its sort order. */
export type StoredStrategy = Omit<FeatureStrategy, 'sortOrder'>;

/** The strategies of a feature in an environment, in their order. */
export async function readStrategies(
  client: PostgresClient,
  { feature, environment }: StrategyPlace,
): Promise<readonly StoredStrategy[]> {
  const { rows } = await client.query<{ strategies: StoredStrategy[] }>(
    `select strategies
     from feature_environments
     where feature_name = $1
       and environment = $2`,
    [feature, environment],
  );
  return (rows[0]?.strategies ?? []).map(complete);
}

export async function writeStrategies(
  client: PostgresClient,
  { feature, environment }: StrategyPlace,
  strategies: readonly StoredStrategy[],
): Promise<void> {
  await client.query(
    `insert into feature_environments (feature_name, environment, strategies)
     values ($1, $2, $3)
     on conflict (feature_name, environment) do update
     set strategies = excluded.strategies`,
    [feature, environment, JSON.stringify(strategies)],
  );
}

type FoundStrategies = { readonly version: number; readonly strategies: readonly FeatureStrategy[] };

/** The strategies, and the version of the feature. */
export async function findStrategies(
  db: Postgres,
  { project, feature, environment }: Omit<StrategyPlace, 'caller'>,
): Promise<FoundStrategies> {
  const { rows } = await db.query<{ version: number; strategies: StoredStrategy[] }>(
    `select f.version, coalesce(s.strategies, '[]') as strategies
     from features as f
     join environments as e on e.name = $3
     left join feature_environments as s on s.feature_name = f.name and s.environment = e.name
     where f.name = $2
       and f.project = $1`,
    [project, feature, environment],
  );
  const [found] = rows;
  if (found === undefined)
    throw notFound('There is no such feature in this project, or no such environment.');
  const strategies = found.strategies.map((strategy, sortOrder) => ({ ...complete(strategy), sortOrder }));
  return { version: found.version, strategies };
}

/** A copy from Unleash has the members that Unleash sent. A trigger gives an id to each strategy without one. */
function complete(strategy: Pick<StoredStrategy, 'id'> & Partial<StoredStrategy>): StoredStrategy {
  const { id, name = '', title = null, disabled = false, parameters = {} } = strategy;
  const { constraints = [], segments = [], variants = [] } = strategy;
  return { id, name, title, disabled, parameters, constraints, segments, variants };
}

/** The parameters of a strategy type; undefined if there is no such type. */
export async function readDefinitions(
  client: PostgresClient,
  type: string,
): Promise<readonly ParameterDefinition[] | undefined> {
  const { rows } = await client.query<{ parameters: ParameterDefinition[] }>(
    `select parameters
     from strategies
     where name = $1
       and vanished_at is null`,
    [type],
  );
  return rows[0]?.parameters;
}
