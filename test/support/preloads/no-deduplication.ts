import { randomUUID } from 'node:crypto';
import { patchInserts, say } from './patches.ts';

/** Deduplication off: ClickHouse takes a repeated INSERT for a new one. */
patchInserts((parameters, exec) => {
  say('inserted without deduplication');
  const settings = { ...parameters.clickhouse_settings, insert_deduplication_token: randomUUID() };
  return exec({ ...parameters, clickhouse_settings: settings });
});
