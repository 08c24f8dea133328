/** The databases; the only importer of pg, ioredis and the ClickHouse client. */
export * from './account.ts';
export * from './applications.ts';
export * from './blocks.ts';
export * from './clickhouse.ts';
export * from './credentials.ts';
export * from './events.ts';
export * from './migrate.ts';
export * from './postgres.ts';
export * from './redis.ts';
export * from './strategies.ts';
export * from './tokens.ts';
export * from './verified-tokens.ts';
