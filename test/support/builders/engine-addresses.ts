/** The settings that `readConfig` needs, for tests that reach no engine. */
export const ENGINE_ADDRESSES = {
  KAFKA_BROKERS: 'one:9092',
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  DATABASE_URL: 'postgres://user@127.0.0.1/flagmeter',
  REDIS_URL: 'redis://127.0.0.1:6379',
};
