import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Kinds of tests that need engines. */
export const KINDS = ['cluster', 'unleash', 'fault', 'abuse', 'e2e', 'integration', 'console'] as const;
export type Kind = (typeof KINDS)[number];

/** The slowest files, slowest first. If one of them started last, it would run alone at the end. */
export const LONGEST = [
  'fault/kafka/one-broker',
  'fault/kafka/kafka-cluster',
  'fault/clickhouse/clickhouse',
  'fault/processes/counters',
  'fault/processes/ingest-processes',
  'fault/processes/kill',
  'abuse/admin-api/curious-viewers',
  'abuse/admin-api/greedy-viewers',
  'fault/processes/openfeature',
  'abuse/network/dear-bodies',
  'fault/kafka/wire',
  'cluster/two-replicas',
  'unleash/mirror',
  'unleash/in-front',
  'cluster/two-shards',
  'integration/cli/replay',
  'integration/traffic/sample/sample',
  'integration/unleash-bridge/mirror-trouble',
  'integration/worker/take-over',
  'integration/accounting/accounting',
  'integration/cli/import-unleash/import-unleash',
  'integration/cli/doctor/doctor',
  'integration/accounting/scrape',
  'integration/unleash-bridge/mirror',
  'e2e/flagmeter-start',
  'integration/cli/backup',
  'e2e/start',
  'console/pages',
  'integration/engines/simulation/fidelity',
  'integration/engines/kafka-access/acls',
  'integration/fleet/relays/storing',
  'integration/admin/advice/notifications/notifications',
  'console/people/sign-in',
  'integration/engines/clickhouse/complete-block',
  'console/flags/features/feature',
  'integration/admin/doors/mcp/tools',
  'integration/cli/dead',
  'console/usage/sample',
  'integration/base/processes/drain',
  'integration/worker/wrong-clocks',
  'console/people/administration',
  'console/flags/features/feature-changes',
  'console/people/provider-sign-in',
  'console/people/project-roles',
  'console/flags/features/impact',
  'console/flags/features/features',
  'integration/analysts/dashboards',
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
