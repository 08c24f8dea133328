import { packageOf, packages } from './define-part.ts';

/** What belongs to Unleash, what relays and applications report, and what operators and agents work with. */
export const OTHER_PACKAGES = [
  packageOf('unleash/client', {
    imports: packages({ base: ['runtime', 'schema', 'tokens'] }),
    libraries: ['json-schema-to-ts'],
    builtins: ['crypto'],
    holds: 'our use of Unleash: the requests of flagmeter itself to its API',
  }),
  packageOf('unleash/tokens', {
    imports: packages({ base: ['auth', 'runtime', 'tokens'], unleash: ['client'] }),
    libraries: ['quick-lru'],
    builtins: ['crypto', 'timers/promises'],
    holds: 'the tokens that Unleash knows, verified beside ours',
  }),
  packageOf('unleash/history', {
    imports: packages({
      core: ['accounting', 'clickhouse', 'counting'],
      base: ['postgres', 'runtime', 'schema'],
    }),
    libraries: [],
    builtins: [],
    holds: "Unleash's stored history: copied to Postgres as messages, counted in blocks",
  }),
  packageOf('fleet/relays', {
    imports: packages({ base: ['schema'] }),
    libraries: ['json-schema-to-ts'],
    builtins: [],
    holds: 'the reports of relays about themselves: their schema and their messages, pure',
  }),
  packageOf('fleet/catalogue', {
    imports: packages({
      core: ['clickhouse', 'counting'],
      base: ['postgres', 'schema', 'tokens'],
      fleet: ['relays'],
    }),
    libraries: [],
    builtins: [],
    holds: 'applications, instances and relays as relays report them, and the catalogue sync for analysts',
  }),
  packageOf('tooling/mcp', {
    imports: packages({ base: ['schema'] }),
    libraries: ['@modelcontextprotocol/server'],
    builtins: ['assert/strict', 'stream'],
    holds: 'the tools for agents: operations of the admin API, served by the Model Context Protocol',
  }),
  packageOf('tooling/operations', {
    imports: packages({
      core: ['accounting', 'clickhouse', 'counting', 'kafka'],
      base: ['auth', 'postgres', 'runtime', 'schema', 'tokens'],
      unleash: ['history'],
      fleet: ['catalogue'],
    }),
    libraries: [],
    holds: 'what operators run: preparing the engines, checks that only read, repairs, backup and restore',
  }),
  packageOf('tooling/stack', {
    imports: packages({ base: ['runtime', 'tokens', 'version'] }),
    libraries: ['pg'],
    holds: 'the local stack: engines and flagmeter on one machine, for a trial, development and tests',
  }),
  packageOf('tooling/traffic', {
    imports: [],
    libraries: ['@bufbuild/protobuf'],
    holds: 'made-up traffic from a seed: sends batches of many relays, and measures the answers',
  }),
];
