import { readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** The rules of counting, the way into Kafka and the way out of it. */
const RULES = [
  ...[
    'take-batch',
    'refusals',
    'batch-names',
    'count-sums',
    'day-sums',
    'usual-batch',
    'usual-metrics',
    'usual-sums',
  ],
  ...[
    'block',
    'block-refusals',
    'next-block',
    'duplicates',
    'intent',
    'continuity',
    'accounting',
    'counts-message',
  ],
]
  .map((name) => `packages/domain/${name}.ts`)
  .concat('packages/books/suspects.ts', 'packages/stream/producer.ts')
  .concat(['lane', 'publisher', 'breaker'].map((name) => `services/ingest/${name}.ts`))
  .concat(['partition', 'take-over'].map((name) => `services/worker/${name}.ts`));

/** Without the walks through state spaces, which take seconds for each mutant. */
const TESTS = ['books', 'domain', 'ingest', 'stream', 'worker'].flatMap((folder) =>
  readdirSync(`test/unit/${folder}`)
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('exactly-once'))
    .map((name) => `test/unit/${folder}/${name}`),
);

/** Modules whose tests have other names. */
const NEAR = {
  'batch-names': ['distinct-names'],
  'block-refusals': ['block-refusals', 'block'],
  'counts-message': ['counts-message', 'spoilt-counts-message'],
  'day-sums': ['block'],
  refusals: ['take-batch'],
  'take-batch': ['take-batch', 'distinct-names', 'usual-batch'],
  'usual-metrics': ['usual-batch', 'usual-sums'],
  'usual-sums': ['usual-batch', 'usual-sums'],
};

/** The tests of one module, so that minutes are enough; another one may notice what they do not. */
const of = (process.env.OF ?? '').split(',').filter(Boolean);
const names = of.map((file) => basename(file, '.ts')).flatMap((name) => NEAR[name] ?? [name]);
const nearest = TESTS.filter((test) => names.includes(basename(test, '.test.ts')));

export default {
  mutate: of.length > 0 ? of : RULES,
  mutants: { modules: RULES, tests: nearest.length > 0 ? nearest : TESTS, near: NEAR },
  testRunner: 'mocha-12',
  plugins: ['./infra/mutants/mocha-runner.mjs'],
  testRunnerNodeArgs: ['--conditions=source', '--import=tsx'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 8000,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.local/mutants/${of.map((file) => basename(file, '.ts'))[0] ?? 'report'}.json` },
  tempDirName: '.local/mutants/sandbox',
  ignorePatterns: ['.local', 'dist', 'docs', 'infra/stack/node_modules'],
  warnings: { unknownOptions: false },
};
