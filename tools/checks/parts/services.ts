import { packages, serviceOf } from './define-part.ts';

const SCHEMAS = '^services/admin/.+schemas?\\.ts$';
const RULES = '^services/admin/.+/(rules/.+|rules|thresholds)\\.ts$';

/** What the router hands rejections to. */
const RECORDER = '^services/admin/record/audit/store/record-in-turn\\.ts$';
const WEBHOOKS = 'services/admin/advice/webhooks';

/** Subjects of the admin API that other services or the rest of it import by their index.ts. */
const SUBJECTS = [
  'record/audit',
  'people/roles',
  'people/sessions',
  'people/tokens',
  'advice/code-references',
  'advice/notifications',
  'advice/verdicts',
  'doors/exchange',
];

/** The services around the core. */
export const SERVICES = [
  serviceOf('ingest/opentelemetry/reading', {
    imports: packages({ core: ['counting'] }),
    libraries: ['@bufbuild/protobuf'],
    builtins: [],
    holds: 'evaluations as OpenTelemetry sends them: how to read their bodies and to answer, pure',
  }),
  serviceOf('ingest/opentelemetry', {
    own: ['^services/ingest/(?!reports/|unleash/)'],
    imports: packages({ core: ['counting'], base: ['http'] }),
    libraries: [],
    builtins: ['http'],
    holds: 'the paths of OTLP/HTTP',
  }),
  serviceOf('ingest/reports', {
    own: ['^services/ingest/(?!opentelemetry/|unleash/)'],
    imports: packages({
      core: ['kafka'],
      base: ['auth', 'http', 'runtime', 'tokens'],
      fleet: ['relays'],
    }),
    libraries: ['koa'],
    holds: 'what relays report about themselves',
  }),
  serviceOf('ingest/unleash', {
    own: ['^services/ingest/(?!opentelemetry/|reports/)'],
    imports: packages({ base: ['http', 'runtime'], unleash: ['client'] }),
    libraries: ['koa', 'httpxy'],
    holds: 'forwards requests to an Unleash and returns its answers',
  }),
  serviceOf('worker/fleet', {
    own: ['^services/worker/'],
    imports: packages({
      core: ['clickhouse', 'counting', 'kafka'],
      base: ['postgres', 'runtime'],
      fleet: ['catalogue', 'relays'],
    }),
    libraries: [],
    holds: 'what the worker does beside counting: applications, relays, and copies of Postgres for analysts',
  }),
  serviceOf('unleash-bridge', {
    imports: packages({
      core: ['counting', 'kafka'],
      base: ['http', 'postgres', 'runtime', 'schema'],
      unleash: ['client'],
    }),
    libraries: [],
    holds: 'the process for Unleash: the mirror, which sends counts there, and the sync of its catalogue',
  }),
  {
    name: 'services/admin/*/schema',
    path: SCHEMAS,
    doors: SCHEMAS,
    own: [SCHEMAS, RULES],
    imports: packages({ base: ['schema', 'tokens'] }),
    libraries: ['json-schema-to-ts'],
    builtins: [],
    holds: 'the schemas of the admin API, for validation and for the document',
  },
  {
    name: 'services/admin/*/rules',
    path: RULES,
    imports: [...packages({ base: ['tokens', 'words'] }), 'services/admin/*/schema'],
    libraries: [],
    builtins: [],
    holds: 'the state machine of change requests, the thresholds of verdicts, pure',
  },
  serviceOf('admin/advice/webhooks', {
    imports: packages({ base: ['runtime', 'words'] }),
    libraries: ['ipaddr.js'],
    builtins: ['crypto', 'dns/promises', 'http', 'https', 'net'],
    holds: 'messages to webhooks: their form, their signature, and one attempt to send one',
  }),
  serviceOf('admin/http', {
    own: [SCHEMAS, '^services/admin/(http/|(denial|pools|version-check)\\.ts$)', RECORDER],
    doors: '^services/admin/http/',
    imports: packages({
      core: ['counting'],
      base: ['auth', 'http', 'runtime', 'schema', 'tokens'],
      fleet: ['relays'],
    }),
    libraries: ['koa', '@koa/router'],
    holds: 'the router of the admin API, what guards its operations, and the document',
  }),
  serviceOf('admin', {
    doors: `^services/admin/((${SUBJECTS.join('|')})/)?index\\.ts$`,
    imports: [
      ...packages({
        core: ['accounting', 'clickhouse', 'counting'],
        base: ['auth', 'http', 'postgres', 'runtime', 'schema', 'tokens', 'words'],
        unleash: ['client', 'history'],
        tooling: ['mcp'],
      }),
      WEBHOOKS,
      'services/admin/http',
    ],
    libraries: ['koa', '@koa/router', 'json-schema-to-ts', 'openid-client'],
    holds: 'the operations of the admin API with their queries, sign-in, and its jobs',
  }),
  serviceOf('console/state', {
    own: ['^services/console/state/', '^services/console/types\\.ts$'],
    doors: '^services/console/state/',
    imports: packages({ base: ['words'] }),
    libraries: ['@preact/signals'],
    builtins: [],
    holds: 'state of the console that several pages share, without reads and without elements',
  }),
  serviceOf('console', {
    imports: [...packages({ core: ['accounting'], base: ['tokens', 'words'] }), 'services/admin/*/schema'],
    libraries: ['preact', '@preact/signals', 'uplot'],
    builtins: [],
    holds:
      'the console, a page of the browser; from the services it imports only types, and schemas for the limits of forms',
  }),
  serviceOf('standalone', {
    imports: [
      ...packages({ base: ['auth', 'http', 'runtime'], unleash: ['tokens'], tooling: ['operations'] }),
      'services/admin',
      'services/ingest',
    ],
    libraries: [],
    holds: 'ingest and admin in one process, or in several that share a port, with a worker beside',
  }),
  serviceOf('cli/sample', {
    imports: packages({
      core: ['clickhouse', 'counting'],
      base: ['postgres', 'runtime', 'schema'],
      fleet: ['catalogue', 'relays'],
      tooling: ['traffic'],
    }),
    libraries: [],
    holds: 'a made-up shop to look at: its plan, which is pure, and how it is stored and removed',
  }),
  serviceOf('cli', {
    imports: [
      ...packages({
        core: ['accounting', 'clickhouse', 'counting'],
        base: ['auth', 'postgres', 'runtime', 'schema', 'tokens', 'version'],
        unleash: ['client', 'history'],
        tooling: ['mcp', 'operations', 'stack', 'traffic'],
      }),
      'services/admin',
      'services/cli/sample',
      'services/standalone',
    ],
    libraries: ['commander', 'sarif', 'yaml'],
    holds: 'the commands',
  }),
];
