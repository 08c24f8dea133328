import type { Config } from '#base/runtime';

/** The checks of flagmeter doctor, in their order. */
export function checksOf({
  counts,
  applications,
  relayReports,
  deadLetters,
}: Config['kafka']['topics']): string[] {
  return [
    'Kafka',
    'Kafka clock',
    `topic ${counts}`,
    `topic ${applications}`,
    `topic ${relayReports}`,
    `topic ${deadLetters}`,
    'ClickHouse',
    'ClickHouse clock',
    'ClickHouse time zone',
    'ClickHouse migrations',
    'ClickHouse deduplication',
    'ClickHouse receipts',
    'ClickHouse retention',
    'ClickHouse verdicts',
    'ClickHouse disk',
    'Postgres',
    'Postgres changes',
    'Postgres pooler',
    'Postgres clock',
    'Postgres time zone',
    'Postgres migrations',
    'audit',
    'unused tokens',
    'ending tokens',
    'token lifetimes',
    'notifications',
    'machines',
    'Redis',
    'Redis role',
    'Redis clock',
    'copies',
    'accounting',
  ];
}
