import { type Shard, quoteIdentifier, quoteText } from './client.ts';

export type StatementOptions = {
  readonly database: string;
  readonly enginePrefix: '' | 'Replicated';
  /** Empty on a single server, and for replicas that are set up one by one. */
  readonly cluster: string;
  /** If there are several shards. The macro {shard} of a server may be wrong; then it must not replicate another shard. */
  readonly shard?: Shard | undefined;
};

/**
 * A statement of a migration for this database. Replicated tables get an explicit path in Keeper, because the default one
 * contains a UUID, which differs between replicas that are set up one by one.
 */
export function renderStatement(statement: string, options: StatementOptions): string {
  const { database, enginePrefix, cluster, shard } = options;
  const path = [encodeURIComponent(database), ...(shard === undefined ? [] : [shard.number])].join('/');
  const [, table = ''] = /create table if not exists (\w+)/.exec(statement) ?? [];
  const onCluster = cluster === '' ? '' : `on cluster ${quoteIdentifier(cluster)}`;
  return statement
    .replace(/\{engine\}(\w+)(?:\((.*)\))?$/m, (_, engine: string, parameters?: string) =>
      enginePrefix === ''
        ? engineOf(engine, [parameters])
        : engineOf(`${enginePrefix}${engine}`, [...placeOf(path, table), parameters]),
    )
    .replaceAll('{on_cluster}', onCluster)
    .replaceAll('{database}', quoteText(database));
}

function engineOf(name: string, parameters: readonly (string | undefined)[]): string {
  const given = parameters.filter((parameter) => parameter !== undefined);
  return given.length === 0 ? name : `${name}(${given.join(', ')})`;
}

/** ClickHouse replaces the macros {shard} and {replica} by those of each server. */
function placeOf(path: string, table: string): string[] {
  return [quoteText(`/clickhouse/tables/{shard}/${path}/${table}`), "'{replica}'"];
}
