/** The walls of ARCHITECTURE.md, enforced. @type {import('dependency-cruiser').IConfiguration} */
const onlyImporter = (name, place, module) => ({
  name,
  severity: 'error',
  from: { pathNot: [place, '^test/', '^infra/'] },
  to: { path: module },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-unresolvable',
      comment: 'ffi-rs belongs to the local stack, which installs it when it is first started.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^ffi-rs$' },
    },
    {
      name: 'domain-is-pure',
      comment: 'The rules of counting know no I/O and no other package.',
      severity: 'error',
      from: { path: '^packages/domain/' },
      to: {
        pathNot: [
          '^packages/domain/',
          '^(node:)?(crypto|assert|assert/strict)$',
          '^node_modules/(ajv|json-schema-to-ts)',
        ],
      },
    },
    {
      name: 'packages-do-not-know-services',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(services|infra|test)/' },
    },
    {
      name: 'packages-by-their-index',
      severity: 'error',
      from: { path: '^(packages/[^/]+|services)/', pathNot: '^test/' },
      to: { path: '^packages/[^/]+/(?!index\\.ts$)', pathNot: '^$1/' },
    },
    {
      name: 'services-by-their-index',
      comment: 'Only standalone and cli compose other services, and only through index.ts.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/[^/]+/(?!index\\.ts$)', pathNot: '^services/$1/' },
    },
    {
      name: 'services-do-not-know-each-other',
      severity: 'error',
      from: { path: '^services/(ingest|worker|admin)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'product-does-not-know-infra-or-tests',
      severity: 'error',
      from: { path: '^(services|packages)/' },
      to: { path: '^(infra|test)/' },
    },
    onlyImporter('kafkajs-in-stream', '^packages/stream/', '^node_modules/kafkajs'),
    onlyImporter(
      'databases-in-stores',
      '^packages/stores/',
      '^node_modules/(pg|ioredis|@clickhouse/client)/',
    ),
    onlyImporter('koa-in-http', '^(packages/http|services/[^/]+)/', '^node_modules/(koa|@koa)/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.local)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
