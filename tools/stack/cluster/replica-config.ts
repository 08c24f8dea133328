import path from 'node:path';

/** A ClickHouse server of a cluster. */
export type Replica = {
  /** Such as a1. */
  readonly name: string;
  readonly shard: string;
  readonly httpPort: number;
  readonly tcpPort: number;
};

export type ClusterPlan = {
  readonly zooKeeperPort: number;
  readonly replicas: readonly Replica[];
};

/** The configuration of a replica; otherwise the same as clickhouse-config.xml. Ports and names are ours. */
export function replicaConfig({ zooKeeperPort, replicas }: ClusterPlan, { name, shard }: Replica): string {
  return `<clickhouse>
  <log-level>warning</log-level>
  <logger><console>true</console></logger>
  <users_config>${path.resolve(import.meta.dirname, '../../../infra/clickhouse/users.xml')}</users_config>
  <timezone>UTC</timezone>
  <max_server_memory_usage>2000000000</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <os_threads_nice_value_merge_mutate>10</os_threads_nice_value_merge_mutate>
  <keep_alive_timeout>5</keep_alive_timeout>
  <background_move_processing_pool_thread_sleep_seconds_if_nothing_to_do>60</background_move_processing_pool_thread_sleep_seconds_if_nothing_to_do>
  <background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do>60</background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do>
  <!-- By default a table takes up to a minute to notice that its session with ZooKeeper is over, and another one to go on. -->
  <merge_tree><zookeeper_session_expiration_check_period>5</zookeeper_session_expiration_check_period></merge_tree>
  <zookeeper>
    <node><host>127.0.0.1</host><port>${zooKeeperPort}</port></node>
    <session_timeout_ms>10000</session_timeout_ms>
    <!-- All replicas have the server UUID 0. With one common path, each new session would end those of the others. -->
    <sessions_path>/clickhouse/sessions/${name}</sessions_path>
  </zookeeper>
  <storage_configuration><disks><backups><type>local</type><path>backups/</path></backups></disks></storage_configuration>
  <backups><allowed_disk>backups</allowed_disk></backups>
  <macros><shard>${shard}</shard><replica>${name}</replica></macros>
  <http_handlers>
    <!-- Serves parts, see clickhouse-replica.mjs. Only replicas that fetch parts call themselves ClickHouse/... -->
    <rule>
      <headers_regexp><User-Agent>ClickHouse/.*</User-Agent></headers_regexp>
      <methods>POST</methods>
      <handler><type>replicas_status</type></handler>
    </rule>
    <defaults/>
  </http_handlers>
  <remote_servers>
    <flagmeter>
${shardsOf(replicas).map(shardConfig).join('\n')}
    </flagmeter>
    <!-- A mistake: the first shard twice. -->
    <mistaken>
${shardsOf(replicas)
  .map((_, __, [first = []]) => shardConfig(first))
  .join('\n')}
    </mistaken>
    <!-- A mistake: replicas of different shards in one. -->
    <crossed>
${crossed(shardsOf(replicas)).map(shardConfig).join('\n')}
    </crossed>
  </remote_servers>
</clickhouse>
`;
}

/** The replicas by shard, both in the order of the list. */
export function shardsOf<T extends Pick<Replica, 'shard'>>(replicas: readonly T[]): (readonly T[])[] {
  const names = [...new Set(replicas.map(({ shard }) => shard))];
  return names.map((name) => replicas.filter(({ shard }) => shard === name));
}

/** The first replicas of all shards, the second ones, and so on. */
function crossed<T>(shards: readonly (readonly T[])[]): T[][] {
  const [first = []] = shards;
  return first.map((_, index) => shards.flatMap((shard) => shard[index] ?? []));
}

/** The CLICKHOUSE_URL of these servers. */
export function urlOf(replicas: readonly (Pick<Replica, 'shard'> & { readonly address: string })[]): string {
  return shardsOf(replicas)
    .map((shard) => shard.map(({ address }) => address).join(','))
    .join(';');
}

function shardConfig(replicas: readonly Replica[]): string {
  const servers = replicas.map(
    ({ tcpPort }) =>
      `<replica><host>127.0.0.1</host><port>${tcpPort}</port><user>owner</user><password from_env="CLICKHOUSE_PASSWORD"/></replica>`,
  );
  return `      <shard><internal_replication>true</internal_replication>${servers.join('')}</shard>`;
}
