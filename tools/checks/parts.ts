import { type Part, packageOf, packages, serviceOf } from './define-part.ts';

const OPENTELEMETRY = [
  'api',
  'exporter-trace-otlp-http',
  'exporter-trace-otlp-proto',
  'resources',
  'sdk-trace',
].map((name) => `@opentelemetry/${name}`);

const SCHEMAS = '^services/admin/.+schemas?\\.ts$';
const RULES = '^services/admin/.+/(rules/.+|rules|thresholds)\\.ts$';
const STORES = '^services/admin.*/(store/|(store|stores|pools|version-check)\\.ts$)';

/**
 * The walls: what each part may import, and what it holds. Both the rules of `make walls` and the table in
 * docs/develop/walls.md are generated from this list. A part imports another one only by its entry files.
 */
export const PARTS: readonly Part[] = [
  packageOf('counting', {
    imports: [],
    libraries: ['ajv', 'json-schema-to-ts'],
    builtins: ['crypto', 'assert/strict'],
    holds: 'the rules of counting, pure',
  }),
  packageOf('tokens', {
    imports: [],
    libraries: [],
    builtins: ['crypto'],
    holds: 'tokens, callers and permissions, pure',
  }),
  packageOf('schema', {
    imports: packages('counting', 'tokens'),
    libraries: ['ajv'],
    builtins: [],
    holds: 'shared by JSON schemas: the validator, common members, query parameters',
  }),
  packageOf('relays', {
    imports: packages('counting', 'schema'),
    libraries: ['json-schema-to-ts'],
    builtins: [],
    holds: 'the reports of relays about themselves: their schema and their messages, pure',
  }),
  packageOf('otlp', {
    imports: packages('counting'),
    libraries: ['@bufbuild/protobuf'],
    builtins: [],
    holds: 'evaluations as OpenTelemetry sends them: how to read their bodies and to answer, pure',
  }),
  packageOf('mcp', {
    imports: packages('counting', 'schema'),
    libraries: ['@modelcontextprotocol/server'],
    builtins: ['assert/strict', 'stream'],
    holds: 'the tools for agents: operations of the admin API, served by the Model Context Protocol',
  }),
  packageOf('runtime', {
    imports: packages('counting', 'tokens'),
    libraries: ['ajv', 'json-schema-to-ts', 'pino', 'prom-client', ...OPENTELEMETRY],
    holds: 'configuration, log, metrics, traces, start and stop of a process',
  }),
  packageOf('kafka', {
    imports: packages('counting', 'runtime'),
    libraries: ['kafkajs', 'crc-32'],
    holds: 'our use of Kafka',
  }),
  packageOf('clickhouse', {
    imports: packages('counting', 'runtime'),
    libraries: ['@clickhouse/client'],
    holds: 'our use of ClickHouse: blocks, markers, retention, rebuilding, migrations',
  }),
  packageOf('postgres', {
    imports: packages('runtime'),
    libraries: ['pg', 'node-pg-migrate'],
    holds: 'our use of Postgres: pool, transactions, pages, locks, migrations',
  }),
  packageOf('unleash', {
    imports: packages('counting', 'runtime', 'schema', 'tokens'),
    libraries: ['json-schema-to-ts'],
    builtins: ['crypto'],
    holds: 'our use of Unleash: the requests of flagmeter itself to its API',
  }),
  packageOf('auth', {
    imports: packages('postgres', 'runtime', 'tokens', 'unleash'),
    libraries: ['ioredis', 'json-schema-to-ts', 'quick-lru'],
    holds: 'callers: verification and look-ups of tokens, their last use, revocations, rates',
  }),
  packageOf('notifications', {
    imports: packages('runtime'),
    libraries: ['ipaddr.js'],
    builtins: ['crypto', 'dns/promises', 'http', 'https', 'net'],
    holds: 'messages to webhooks: their form, their signature, and one attempt to send one',
  }),
  packageOf('catalogue', {
    imports: packages('clickhouse', 'counting', 'postgres', 'relays', 'tokens'),
    libraries: [],
    builtins: [],
    holds: 'applications, instances and relays as relays report them, and the catalogue sync for analysts',
  }),
  packageOf('http', {
    imports: packages('auth', 'runtime', 'schema', 'tokens'),
    libraries: ['koa', '@koa/router', 'quick-lru'],
    holds: 'errors, authentication, bodies, connections, health',
  }),
  packageOf('accounting', {
    imports: packages('clickhouse', 'counting', 'history', 'kafka', 'postgres', 'runtime', 'schema'),
    libraries: ['json-schema-to-ts'],
    holds: 'the numbers of reconcile, read from both sides, and the differences between them',
  }),
  packageOf('history', {
    imports: packages('clickhouse', 'counting', 'postgres', 'runtime'),
    libraries: [],
    builtins: [],
    holds: "Unleash's stored history: copied to Postgres as messages, counted in blocks",
  }),
  packageOf('operations', {
    imports: packages(
      ...[
        'accounting',
        'auth',
        'catalogue',
        'clickhouse',
        'counting',
        'history',
        'kafka',
        'postgres',
        'runtime',
      ],
      'tokens',
    ),
    libraries: [],
    holds: 'what operators run: preparing the engines, checks that only read, repairs, backup and restore',
  }),
  packageOf('sample', {
    imports: packages('catalogue', 'clickhouse', 'counting', 'postgres', 'relays', 'runtime', 'traffic'),
    libraries: [],
    holds: 'a made-up shop to look at: its plan, which is pure, and how it is stored and removed',
  }),
  packageOf('traffic', {
    imports: [],
    libraries: ['@bufbuild/protobuf'],
    holds:
      'made-up traffic from a seed: `load/` sends batches and measures the answers, `relay/` simulates a relay like Edge',
  }),
  serviceOf('ingest', {
    imports: packages(
      ...['auth', 'counting', 'http', 'kafka', 'otlp', 'relays', 'runtime', 'schema', 'tokens', 'unleash'],
    ),
    libraries: ['koa', '@koa/router', 'httpxy', 'quick-lru'],
    holds: 'from the socket to the 202; also forwards requests to an Unleash and returns its answers',
  }),
  serviceOf('worker', {
    imports: packages(
      ...['catalogue', 'clickhouse', 'counting', 'http', 'kafka', 'postgres', 'relays', 'runtime'],
    ),
    libraries: ['quick-lru'],
    holds: 'from Kafka to ClickHouse and Postgres',
  }),
  serviceOf('unleash-bridge', {
    imports: packages('counting', 'http', 'kafka', 'postgres', 'runtime', 'unleash'),
    libraries: ['quick-lru'],
    holds: 'the process for Unleash: the mirror, which sends counts there, and the sync of its catalogue',
  }),
  {
    name: 'services/admin/*/schema',
    path: SCHEMAS,
    doors: SCHEMAS,
    own: [SCHEMAS, RULES],
    imports: packages('schema', 'tokens'),
    libraries: ['json-schema-to-ts'],
    builtins: [],
    holds: 'the schemas of the admin API, for validation and for the document',
  },
  {
    name: 'services/admin/*/rules',
    path: RULES,
    imports: [...packages('tokens'), 'services/admin/*/schema'],
    libraries: [],
    builtins: [],
    holds: 'the state machine of change requests, the thresholds of verdicts, pure',
  },
  {
    name: 'services/admin/*/store',
    path: STORES,
    own: [STORES, SCHEMAS, RULES],
    imports: packages(
      ...['accounting', 'auth', 'clickhouse', 'counting', 'notifications', 'postgres', 'runtime', 'tokens'],
    ),
    libraries: [],
    holds: 'all queries of the admin API',
  },
  serviceOf('admin', {
    doors:
      '^services/admin/((record/audit|people/roles|people/sessions|people/tokens|advice/code-references|advice/notifications|advice/verdicts|doors/exchange)/)?index\\.ts$',
    imports: packages(
      ...['accounting', 'auth', 'counting', 'http', 'mcp', 'notifications', 'relays', 'runtime', 'schema'],
      ...['tokens', 'unleash'],
    ),
    libraries: ['koa', '@koa/router', 'json-schema-to-ts', 'openid-client'],
    holds: 'the operations of the admin API, the router and the document',
  }),
  serviceOf('console/state', {
    own: ['^services/console/state/', '^services/console/types\\.ts$'],
    doors: '^services/console/state/',
    imports: [],
    libraries: ['@preact/signals'],
    builtins: [],
    holds: 'state of the console that several pages share, without reads and without elements',
  }),
  serviceOf('console', {
    imports: [...packages('accounting', 'tokens'), 'services/admin/*/schema'],
    libraries: ['preact', '@preact/signals', 'uplot'],
    builtins: [],
    holds: 'the console, a page of the browser; from the services it imports only types',
  }),
  serviceOf('standalone', {
    imports: [...packages('auth', 'http', 'operations', 'runtime'), 'services/admin', 'services/ingest'],
    libraries: [],
    holds: 'ingest and admin in one process, or in several that share a port, with a worker beside',
  }),
  serviceOf('cli', {
    imports: [
      ...packages(
        ...['accounting', 'auth', 'clickhouse', 'counting', 'history', 'mcp', 'operations', 'postgres'],
        ...['runtime', 'sample', 'schema', 'tokens', 'traffic', 'unleash'],
      ),
      ...['services/admin', 'services/standalone'],
    ],
    libraries: ['commander', 'sarif', 'yaml'],
    holds: 'the commands',
  }),
];
