import { packageOf, packages, serviceOf } from './define-part.ts';

/** From HTTP over Kafka to ClickHouse, and the accounting that proves it. */
export const CORE = [
  packageOf('core/counting', {
    imports: packages({ base: ['schema'] }),
    libraries: ['json-schema-to-ts'],
    builtins: ['crypto', 'assert/strict'],
    holds: 'the rules of counting, pure',
  }),
  packageOf('core/kafka', {
    imports: packages({ core: ['counting'], base: ['runtime'] }),
    libraries: ['kafkajs', 'crc-32'],
    holds: 'our use of Kafka',
  }),
  packageOf('core/clickhouse', {
    imports: packages({ core: ['counting'], base: ['runtime', 'schema'] }),
    libraries: ['@clickhouse/client'],
    holds: 'our use of ClickHouse: blocks, markers, retention, rebuilding, migrations',
  }),
  packageOf('core/accounting', {
    imports: packages({ core: ['clickhouse', 'counting', 'kafka'], base: ['runtime', 'schema'] }),
    libraries: ['json-schema-to-ts'],
    holds: 'the numbers of reconcile, read from both sides, and the differences between them',
  }),
  serviceOf('ingest', {
    imports: [
      ...packages({
        core: ['counting', 'kafka'],
        base: ['auth', 'http', 'runtime', 'schema', 'tokens'],
        unleash: ['tokens'],
      }),
      'services/ingest/opentelemetry',
      'services/ingest/reports',
      'services/ingest/unleash',
    ],
    libraries: ['koa', '@koa/router'],
    holds: 'from the socket to the 202',
  }),
  serviceOf('worker', {
    imports: [
      ...packages({ core: ['clickhouse', 'counting', 'kafka'], base: ['http', 'runtime'] }),
      'services/worker/fleet',
    ],
    libraries: [],
    holds: 'from Kafka to ClickHouse',
  }),
];
