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
  packageOf('core/counting', {
    imports: packages('base/schema'),
    libraries: ['ajv', 'json-schema-to-ts'],
    builtins: ['crypto', 'assert/strict'],
    holds: 'the rules of counting, pure',
  }),
  packageOf('base/tokens', {
    imports: [],
    libraries: [],
    builtins: ['crypto'],
    holds: 'tokens, callers and permissions, pure',
  }),
  packageOf('base/schema', {
    imports: packages('base/schema', 'base/tokens'),
    libraries: ['ajv'],
    builtins: [],
    holds: 'shared by JSON schemas: the validator, common members, query parameters',
  }),
  packageOf('fleet/relays', {
    imports: packages('core/counting', 'base/schema'),
    libraries: ['json-schema-to-ts'],
    builtins: [],
    holds: 'the reports of relays about themselves: their schema and their messages, pure',
  }),
  serviceOf('ingest/opentelemetry/reading', {
    imports: [],
    libraries: ['@bufbuild/protobuf'],
    builtins: [],
    holds: 'evaluations as OpenTelemetry sends them: how to read their bodies and to answer, pure',
  }),
  packageOf('tooling/mcp', {
    imports: packages('core/counting', 'base/schema'),
    libraries: ['@modelcontextprotocol/server'],
    builtins: ['assert/strict', 'stream'],
    holds: 'the tools for agents: operations of the admin API, served by the Model Context Protocol',
  }),
  packageOf('base/runtime', {
    imports: packages('core/counting', 'base/tokens'),
    libraries: ['ajv', 'json-schema-to-ts', 'pino', 'prom-client', ...OPENTELEMETRY],
    holds: 'configuration, log, metrics, traces, start and stop of a process',
  }),
  packageOf('core/kafka', {
    imports: packages('core/counting', 'base/runtime'),
    libraries: ['kafkajs', 'crc-32'],
    holds: 'our use of Kafka',
  }),
  packageOf('core/clickhouse', {
    imports: packages('core/counting', 'base/runtime'),
    libraries: ['@clickhouse/client'],
    holds: 'our use of ClickHouse: blocks, markers, retention, rebuilding, migrations',
  }),
  packageOf('base/postgres', {
    imports: packages('base/runtime'),
    libraries: ['pg', 'node-pg-migrate'],
    holds: 'our use of Postgres: pool, transactions, pages, locks, migrations',
  }),
  packageOf('unleash/client', {
    imports: packages('core/counting', 'base/runtime', 'base/schema', 'base/tokens'),
    libraries: ['json-schema-to-ts'],
    builtins: ['crypto'],
    holds: 'our use of Unleash: the requests of flagmeter itself to its API',
  }),
  packageOf('base/auth', {
    imports: packages('base/postgres', 'base/runtime', 'base/tokens', 'unleash/client'),
    libraries: ['ioredis', 'json-schema-to-ts', 'quick-lru'],
    holds: 'callers: verification and look-ups of tokens, their last use, revocations, rates',
  }),
  serviceOf('admin/advice/webhooks', {
    imports: packages('base/runtime'),
    libraries: ['ipaddr.js'],
    builtins: ['crypto', 'dns/promises', 'http', 'https', 'net'],
    holds: 'messages to webhooks: their form, their signature, and one attempt to send one',
  }),
  packageOf('fleet/catalogue', {
    imports: packages('core/clickhouse', 'core/counting', 'base/postgres', 'fleet/relays', 'base/tokens'),
    libraries: [],
    builtins: [],
    holds: 'applications, instances and relays as relays report them, and the catalogue sync for analysts',
  }),
  packageOf('base/http', {
    imports: packages('base/auth', 'base/runtime', 'base/schema', 'base/tokens'),
    libraries: ['koa', '@koa/router', 'quick-lru'],
    holds: 'errors, authentication, bodies, connections, health',
  }),
  packageOf('core/accounting', {
    imports: packages(
      'core/clickhouse',
      'core/counting',
      'unleash/history',
      'core/kafka',
      'base/postgres',
      'base/runtime',
      'base/schema',
    ),
    libraries: ['json-schema-to-ts'],
    holds: 'the numbers of reconcile, read from both sides, and the differences between them',
  }),
  packageOf('unleash/history', {
    imports: packages('core/clickhouse', 'core/counting', 'base/postgres', 'base/runtime'),
    libraries: [],
    builtins: [],
    holds: "Unleash's stored history: copied to Postgres as messages, counted in blocks",
  }),
  packageOf('tooling/operations', {
    imports: packages(
      ...[
        'core/accounting',
        'base/auth',
        'fleet/catalogue',
        'core/clickhouse',
        'core/counting',
        'unleash/history',
        'core/kafka',
        'base/postgres',
        'base/runtime',
      ],
      'base/tokens',
    ),
    libraries: [],
    holds: 'what operators run: preparing the engines, checks that only read, repairs, backup and restore',
  }),
  serviceOf('cli/sample', {
    imports: packages(
      'fleet/catalogue',
      'core/clickhouse',
      'core/counting',
      'base/postgres',
      'fleet/relays',
      'base/runtime',
      'tooling/traffic',
    ),
    libraries: [],
    holds: 'a made-up shop to look at: its plan, which is pure, and how it is stored and removed',
  }),
  packageOf('tooling/traffic', {
    imports: [],
    libraries: ['@bufbuild/protobuf'],
    holds:
      'made-up traffic from a seed: `load/` sends batches and measures the answers, `relay/` simulates a relay like Edge',
  }),
  serviceOf('ingest', {
    imports: [
      ...packages(
        ...[
          'base/auth',
          'core/counting',
          'base/http',
          'core/kafka',
          'fleet/relays',
          'base/runtime',
          'base/schema',
          'base/tokens',
          'unleash/client',
        ],
      ),
      'services/ingest/opentelemetry/reading',
    ],
    libraries: ['koa', '@koa/router', 'httpxy', 'quick-lru'],
    holds: 'from the socket to the 202; also forwards requests to an Unleash and returns its answers',
  }),
  serviceOf('worker', {
    imports: packages(
      ...[
        'fleet/catalogue',
        'core/clickhouse',
        'core/counting',
        'base/http',
        'core/kafka',
        'base/postgres',
        'fleet/relays',
        'base/runtime',
      ],
    ),
    libraries: ['quick-lru'],
    holds: 'from Kafka to ClickHouse and Postgres',
  }),
  serviceOf('unleash-bridge', {
    imports: packages(
      'core/counting',
      'base/http',
      'core/kafka',
      'base/postgres',
      'base/runtime',
      'unleash/client',
    ),
    libraries: ['quick-lru'],
    holds: 'the process for Unleash: the mirror, which sends counts there, and the sync of its catalogue',
  }),
  {
    name: 'services/admin/*/schema',
    path: SCHEMAS,
    doors: SCHEMAS,
    own: [SCHEMAS, RULES],
    imports: packages('base/schema', 'base/tokens'),
    libraries: ['json-schema-to-ts'],
    builtins: [],
    holds: 'the schemas of the admin API, for validation and for the document',
  },
  {
    name: 'services/admin/*/rules',
    path: RULES,
    imports: [...packages('base/tokens'), 'services/admin/*/schema'],
    libraries: [],
    builtins: [],
    holds: 'the state machine of change requests, the thresholds of verdicts, pure',
  },
  {
    name: 'services/admin/*/store',
    path: STORES,
    own: [STORES, SCHEMAS, RULES],
    imports: [
      ...packages(
        ...[
          'core/accounting',
          'base/auth',
          'core/clickhouse',
          'core/counting',
          'base/postgres',
          'base/runtime',
          'base/tokens',
        ],
      ),
      'services/admin/advice/webhooks',
    ],
    libraries: [],
    holds: 'all queries of the admin API',
  },
  serviceOf('admin', {
    doors:
      '^services/admin/((record/audit|people/roles|people/sessions|people/tokens|advice/code-references|advice/notifications|advice/verdicts|doors/exchange)/)?index\\.ts$',
    imports: [
      ...packages(
        ...[
          'core/accounting',
          'base/auth',
          'core/counting',
          'base/http',
          'tooling/mcp',
          'fleet/relays',
          'base/runtime',
          'base/schema',
        ],
        ...['base/tokens', 'unleash/client'],
      ),
      'services/admin/advice/webhooks',
    ],
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
    imports: [...packages('core/accounting', 'base/tokens'), 'services/admin/*/schema'],
    libraries: ['preact', '@preact/signals', 'uplot'],
    builtins: [],
    holds: 'the console, a page of the browser; from the services it imports only types',
  }),
  serviceOf('standalone', {
    imports: [
      ...packages('base/auth', 'base/http', 'tooling/operations', 'base/runtime'),
      'services/admin',
      'services/ingest',
    ],
    libraries: [],
    holds: 'ingest and admin in one process, or in several that share a port, with a worker beside',
  }),
  serviceOf('cli', {
    imports: [
      'services/cli/sample',
      ...packages(
        ...[
          'core/accounting',
          'base/auth',
          'core/clickhouse',
          'core/counting',
          'unleash/history',
          'tooling/mcp',
          'tooling/operations',
          'base/postgres',
        ],
        ...['base/runtime', 'base/schema', 'base/tokens', 'tooling/traffic', 'unleash/client'],
      ),
      ...['services/admin', 'services/standalone'],
    ],
    libraries: ['commander', 'sarif', 'yaml'],
    holds: 'the commands',
  }),
];
