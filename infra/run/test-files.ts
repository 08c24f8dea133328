import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Kinds of tests that need engines. */
export const KINDS = ['unleash', 'fault', 'abuse', 'e2e', 'integration'] as const;

/** The files that take longest, longest first. Begun last, one of them would run alone at the end. */
const LONGEST = [
  'fault/kill',
  'fault/clickhouse',
  'fault/deduplication',
  'fault/kafka',
  'fault/self-check',
  'fault/rebalance',
  'integration/cli/replay',
  'fault/wire',
  'fault/kafka-cluster',
  'integration/admin/events',
  'e2e/start',
  'fault/rolling-restart',
  'integration/stack/start-order',
  'fault/overload',
  'integration/accounting/accounting',
  'integration/stack/stack',
  'integration/worker/take-over',
  'integration/processes/drain',
].map((name) => `test/${name}.test.ts`);

/** The files of these kinds, or these very files, in the order in which they are best begun. */
export function filesToRun(kindsOrFiles: readonly string[]): string[] {
  const files = kindsOrFiles.flatMap((given) =>
    given.endsWith('.ts') ? path.relative('.', given) : filesOfKind(given),
  );
  return files.sort((a, b) => rankOf(a) - rankOf(b));
}

function filesOfKind(kind: string): string[] {
  const isKnown = KINDS.some((known) => known === kind);
  if (!isKnown) throw new Error(`${kind} is none of ${KINDS.join(', ')}, and no file`);
  return readdirSync(`test/${kind}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${kind}/${name}`)
    .sort();
}

/** Stories come before the others, because they take half a minute where those take seconds. */
function rankOf(file: string): number {
  const place = LONGEST.indexOf(file);
  if (place >= 0) return place;
  return LONGEST.length + KINDS.findIndex((kind) => file.startsWith(`test/${kind}/`));
}
