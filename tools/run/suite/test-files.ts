import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Kinds of tests that need engines. */
export const KINDS = ['cluster', 'unleash', 'fault', 'abuse', 'e2e', 'integration', 'console'] as const;
export type Kind = (typeof KINDS)[number];

/** The slowest files, slowest first. If one of them started last, it would run alone at the end. */
export const LONGEST = [
  'fault/clickhouse/clickhouse',
  'fault/kafka/kafka',
  'fault/kafka/kafka-cluster',
  'fault/kafka/wire',
  'fault/processes/counters',
  'fault/processes/overload',
  'fault/processes/kill',
  'fault/processes/ingest-processes',
  'abuse/network/dear-bodies',
  'fault/processes/openfeature',
  'cluster/replicas-fail',
  'integration/unleash-bridge/mirror',
  'integration/cli/replay',
  'cluster/blocks',
  'unleash/lossless',
  'integration/worker/take-over',
  'cluster/shards-repair',
  'unleash/faults',
  'e2e/start',
  'cluster/replay',
  'integration/cli/import-unleash/import-unleash',
  'integration/sample/sample',
  'unleash/trouble',
  'integration/unleash-bridge/mirror-trouble',
  'unleash/mirror',
  'integration/accounting/accounting',
  'integration/accounting/scrape',
  'e2e/cleaned-up',
  'e2e/start-mirror',
  'console/sign-in',
  'integration/cli/doctor',
  'integration/analysts/verdicts/harmful',
  'integration/cli/backup',
  'console/pages',
].map((name) => `test/${name}.test.ts`);

/** The files of these kinds, or exactly these files, in the best order to start them. */
export function filesToRun(kindsOrFiles: readonly string[]): string[] {
  const files = kindsOrFiles.flatMap((given) =>
    given.endsWith('.ts') ? path.relative('.', given) : filesOfKind(given),
  );
  return files.sort((a, b) => rankOf(a) - rankOf(b));
}

function filesOfKind(kind: string): string[] {
  const isKnown = KINDS.some((known) => known === kind);
  if (!isKnown) throw new Error(`${kind} is neither a file nor one of ${KINDS.join(', ')}`);
  return readdirSync(`test/${kind}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${kind}/${name}`)
    .sort();
}

/** Stories first, because they take half a minute each and other tests take seconds. */
function rankOf(file: string): number {
  const place = LONGEST.indexOf(file);
  if (place >= 0) return place;
  return LONGEST.length + KINDS.findIndex((kind) => file.startsWith(`test/${kind}/`));
}
