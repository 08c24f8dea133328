import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** The rules of counting, the way into Kafka and the way out of Kafka to ClickHouse. */
const RULES = [
  ...inFolder('packages/counting/batch', ['aggregate-batch', 'refusals', 'count-sums']),
  ...inFolder('packages/counting/names', ['batch-names']),
  ...inFolder('packages/counting/fast-path', ['read-fast', 'metrics-reader', 'fast-sums']),
  ...inFolder('packages/counting/message', ['counts-message']),
  ...inFolder('packages/counting/block', [
    'block',
    'block-refusals',
    'time-sums',
    'next-block',
    'duplicates',
    'intent',
    'continuity',
  ]),
  ...inFolder('packages/accounting', ['differences', 'suspects']),
  ...inFolder('packages/kafka', ['producer']),
  ...inFolder('packages/clickhouse', ['catch-up', 'replicas']),
  ...inFolder('packages/clickhouse/blocks', ['insert-blocks', 'complete-block']),
  ...inFolder('services/ingest/publish', ['partition-sender', 'publisher', 'breaker']),
  ...inFolder('services/worker', ['partition', 'take-over']),
];

function inFolder(folder, names) {
  return names.map((name) => `${folder}/${name}.ts`);
}

/** Without the walks through state spaces, which take seconds for each mutant. */
const TESTS = ['accounting', 'clickhouse', 'counting', 'ingest', 'kafka', 'worker'].flatMap((folder) =>
  readdirSync(`test/unit/${folder}`, { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('exactly-once'))
    .map((name) => `test/unit/${folder}/${name}`),
);

/** Modules whose test files have different names. */
const NEAR = {
  'batch-names': ['distinct-names'],
  'block-refusals': ['block-refusals', 'block'],
  'counts-message': ['counts-message', 'spoilt-counts-message'],
  'time-sums': ['block'],
  'metrics-reader': ['read-fast', 'fast-sums'],
  'fast-sums': ['read-fast', 'fast-sums'],
  refusals: ['aggregate-batch'],
  'aggregate-batch': ['aggregate-batch', 'distinct-names', 'read-fast'],
};

/**
 * Only the tests of the module itself, so that the run takes minutes. Tests of other modules might kill more mutants.
 */
const of = (process.env.OF ?? '').split(',').filter(Boolean);
const names = of.map((file) => basename(file, '.ts')).flatMap((name) => NEAR[name] ?? [name]);
const nearest = TESTS.filter((test) => names.includes(basename(test, '.test.ts')));

export default {
  mutate: of.length > 0 ? of : RULES,
  mutants: { modules: RULES, tests: nearest.length > 0 ? nearest : TESTS, near: NEAR },
  testRunner: 'mocha-12',
  plugins: ['./tools/mutants/mocha-runner.mjs'],
  testRunnerNodeArgs: ['--conditions=source', '--import=tsx'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 8000,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.local/mutants/${of.map((file) => basename(file, '.ts'))[0] ?? 'report'}.json` },
  tempDirName: '.local/mutants/sandbox',
  ignorePatterns: ['.local', 'dist', 'docs', 'infra/helm', 'tools/stack/node_modules'],
  warnings: { unknownOptions: false },
};
