import { packageOf, packages } from './define-part.ts';

const OPENTELEMETRY = [
  'api',
  'exporter-trace-otlp-http',
  'exporter-trace-otlp-proto',
  'resources',
  'sdk-trace',
].map((name) => `@opentelemetry/${name}`);

/** What every service needs, whatever it is for. */
export const BASE = [
  packageOf('base/schema', {
    imports: packages({ base: ['tokens'] }),
    libraries: ['ajv'],
    builtins: [],
    holds: 'what a text, a name, a time and a body may be: the validator, members and parameters of schemas',
  }),
  packageOf('base/words', {
    imports: [],
    libraries: [],
    builtins: [],
    holds: 'sentences with names that somebody else chose, for services and the console',
  }),
  packageOf('base/tokens', {
    imports: [],
    libraries: [],
    builtins: ['crypto'],
    holds: 'tokens, callers and permissions, pure',
  }),
  packageOf('base/version', {
    imports: [],
    libraries: [],
    holds: 'which flagmeter this is, and where its files are',
  }),
  packageOf('base/runtime', {
    imports: packages({ base: ['schema', 'tokens', 'version'] }),
    libraries: ['ajv', 'json-schema-to-ts', 'pino', '@prometheus-io/client', 'quick-lru', ...OPENTELEMETRY],
    holds: 'configuration, log, metrics, traces, start and stop of a process',
  }),
  packageOf('base/postgres', {
    imports: packages({ base: ['runtime'] }),
    libraries: ['pg', 'node-pg-migrate'],
    holds: 'our use of Postgres: pool, transactions, pages, locks, migrations',
  }),
  packageOf('base/auth', {
    imports: packages({ base: ['postgres', 'runtime', 'tokens'] }),
    libraries: ['ioredis', 'json-schema-to-ts', 'quick-lru'],
    holds:
      'callers: verification and look-ups of tokens, their last use, revocations and rates between processes',
  }),
  packageOf('base/http', {
    imports: packages({ base: ['auth', 'runtime', 'schema', 'tokens'] }),
    libraries: ['koa', '@koa/router'],
    holds: 'errors, authentication, bodies, connections, health',
  }),
];
