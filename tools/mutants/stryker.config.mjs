import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { RULES, SIMULATED } from './modules.mjs';

/** Without the walks through state spaces, which take seconds for each mutant. */
const TESTS = ['core', 'services/ingest', 'services/otlp', 'services/worker'].flatMap((folder) =>
  readdirSync(`test/unit/${folder}`, { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('exactly-once'))
    .map((name) => `test/unit/${folder}/${name}`),
);

/** Modules whose test files have different names. */
const NEAR = {
  'batch-names': ['distinct-names'],
  block: [
    'block',
    'block-parts',
    'recall-block',
    'bucket-span',
    'impact-sums',
    'reason-sums',
    'series-states',
    'add-message',
  ],
  'block-refusals': ['block-refusals', 'block'],
  'decode-counts': [
    'counts-message',
    'spoilt-counts-message',
    'bucket-span',
    'impact-message',
    'reason-message',
    'series-point',
  ],
  'encode-counts': [
    'counts-message',
    'bucket-span',
    'impact-message',
    'reason-message',
    'series-point',
    'unknown-message',
  ],
  rows: ['counts-message', 'spoilt-counts-message', 'add-message'],
  'counts-partition': ['partition'],
  deduplication: ['partition'],
  'take-over-counts': ['take-over'],
  'dead-letter-topic': ['dead-letters'],
  'marker-rows': ['block-rows'],
  'impact-rows': ['block-rows'],
  'insert-session': ['blocks'],
  'partition-key': ['counted-blocks'],
  'row-values': ['block-rows', 'counter-states'],
  'refusal-sums': ['block-rows'],
  'impact-value': ['impact-value', 'read-impact'],
  labels: ['read-impact'],
  'partition-sender': ['partition-sender', 'partition-sender-breaker', 'partition-sender-throttled'],
  publisher: ['publisher', 'publisher-rejecting'],
  'time-sums': ['block'],
  'add-message': ['add-message', 'block', 'series-states', 'block-rows'],
  'dead-letter': ['dead-letters'],
  problem: ['read-impact'],
  'fleet-metrics': ['metrics'],
  'refresh-verdicts': ['client'],
  'read-rows': ['client', 'replicas'],
  'optional-index': ['reason-message', 'reason-sums'],
  'aggregate-evaluations': ['evaluations', 'counters'],
  'block-reasons': ['block-rows'],
  'metrics-reader': ['read-fast', 'fast-sums'],
  'fast-sums': ['read-fast', 'fast-sums'],
  'fast-names': ['read-fast', 'fast-sums'],
  'admit-sums': ['read-fast', 'fast-sums'],
  'byte-cursor': ['read-fast', 'fast-sums'],
  'time-reader': ['read-fast', 'fast-sums'],
  'byte-writer': ['byte-writer', 'counts-message'],
  'hash-table': ['hash-table', 'distinct-names'],
  validator: ['batch-schema', 'schema-problems', 'sdk-schema'],
  'name-hash': ['name-hash', 'hash-table', 'distinct-names', 'read-fast'],
  'pair-ids': ['count-sums'],
  'seen-tokens': ['sdk-schema', 'batch-schema', 'read-fast'],
  'application-names': ['applications-message', 'applications', 'aggregate-batch'],
  'application-rules': ['application-rules', 'aggregate-batch', 'distinct-names'],
  refusals: ['aggregate-batch'],
  'aggregate-batch': ['aggregate-batch', 'distinct-names', 'read-fast'],
};

/** Files, or parts of them: `services/worker/counts/counts.ts:70-99`. */
const of = (process.env.OF ?? '').split(',').filter(Boolean);
/** Mutants that survive the unit tests then run in so many worlds of the simulation. */
const worlds = Number(process.env.WORLDS ?? 0);
const mutate = of.length > 0 ? of : worlds > 0 ? SIMULATED : RULES;
const modules = [...new Set(mutate.map((part) => part.replace(/:.*/, '')))];

/**
 * Only the tests of the module itself, so that the run takes minutes. Tests of other modules might kill more mutants. Before
 * worlds, which take longer than tests, all tests of the part run.
 */
const names = modules.map((file) => basename(file, '.ts')).flatMap((name) => NEAR[name] ?? [name]);
const nearest = TESTS.filter((test) => names.includes(basename(test, '.test.ts')));
const ofPart = TESTS.filter((test) => modules.some((file) => file.split('/')[1] === test.split('/')[2]));
const ofRun = of.length > 0 && nearest.length > 0 ? nearest : TESTS;
const tests = worlds > 0 ? [...new Set([...nearest, ...ofPart])] : ofRun;
const report = `${of.length > 0 ? basename(modules[0], '.ts') : 'report'}${worlds > 0 ? '-simulated' : ''}`;

export default {
  mutate,
  mutants: { modules, tests, near: NEAR, worlds },
  testRunner: worlds > 0 ? 'mocha-12-and-worlds' : 'mocha-12',
  plugins: ['./tools/mutants/mocha-runner.mjs'],
  testRunnerNodeArgs: ['--conditions=flagmeter-source', '--import=tsx'],
  ignorers: worlds > 0 ? ['invisible'] : [],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // In wall time, beside ten times the time of the dry run. It only ends what the limits in CPU time cannot: loops without mutated code.
  timeoutMS: worlds > 0 ? 600_000 : 60_000,
  timeoutFactor: 10,
  dryRunTimeoutMinutes: 30,
  reporters: ['progress-append-only', 'clear-text', 'json', 'summary'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.local/mutants/${report}.json` },
  tempDirName: '.local/mutants/sandbox',
  ignorePatterns: ['.local', 'dist', 'docs', 'infra/helm'],
  warnings: { unknownOptions: false },
};
