import { secret, text } from './setting.ts';

/** The settings of ClickHouse: servers, users and database. */
export const clickhouseSettings = {
  CLICKHOUSE_URL: {
    type: 'string',
    format: 'http-urls',
    description:
      'http(s)://host:port; several replicas of a shard comma separated, the preferred one first; several shards separated by semicolons, always in the same order',
  },
  CLICKHOUSE_USER: text('default', 'user of ClickHouse'),
  CLICKHOUSE_PASSWORD: secret('password of that user'),
  CLICKHOUSE_READER_USER: text('', 'user for reading: admin API, accounting, top; empty for CLICKHOUSE_USER'),
  CLICKHOUSE_READER_PASSWORD: secret('password of that user'),
  CLICKHOUSE_DATABASE: text('flagmeter', 'database of tables and views'),
  CLICKHOUSE_ENGINE_PREFIX: {
    type: 'string',
    enum: ['', 'Replicated'],
    default: '',
    description: 'Replicated for replicated tables; required for several replicas',
  },
  CLICKHOUSE_CLUSTER: text(
    '',
    'name of the cluster: with several shards for reading all of them, otherwise for ON CLUSTER; empty on a single server',
  ),
} as const;
