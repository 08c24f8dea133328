import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Kinds of tests that need engines. */
export const KINDS = ['cluster', 'unleash', 'fault', 'abuse', 'e2e', 'integration', 'console'] as const;

/** The slowest files, slowest first. If one of them started last, it would run alone at the end. */
export const LONGEST = [
  'fault/processes/kill',
  'integration/unleash-bridge/mirror',
  'integration/unleash-bridge/mirror-trouble',
  'fault/clickhouse/clickhouse',
  'fault/clickhouse/deduplication',
  'fault/kafka/kafka',
  'fault/clickhouse/self-check',
  'fault/kafka/rebalance',
  'integration/cli/replay',
  'fault/kafka/wire',
  'fault/kafka/kafka-cluster',
  'fault/kafka/kafka-leader',
  'integration/admin/events',
  'e2e/start',
  'fault/processes/rolling-restart',
  'integration/stack/start-order',
  'fault/processes/overload',
  'integration/accounting/accounting',
  'integration/stack/stack',
  'integration/worker/take-over',
  'integration/processes/drain',
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
