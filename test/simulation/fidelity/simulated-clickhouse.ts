import { overReplicas } from '../../../packages/clickhouse/shards/replicas.ts';
import { createRandom } from '#traffic';
import { createSimulatedClient } from '../clickhouse/client.ts';
import type { Content } from '../clickhouse/content.ts';
import { ClickHouseServer } from '../clickhouse/server.ts';
import { Network } from '../network.ts';
import type { Schedule } from '../time/schedule.ts';
import type { ClickHouseSubject } from './clickhouse-script.ts';

export const TABLES = [
  ...['usage_hourly', 'usage_daily', 'variants_hourly', 'variants_daily'],
  ...['impact_hourly', 'impact_daily', 'refusals_daily', 'reasons_hourly', 'reasons_daily'],
];

export function createSimulatedClickHouse(schedule: Schedule): ClickHouseSubject {
  const random = createRandom(1);
  const server = new ClickHouseServer('clickhouse', { schedule, random });
  const client = createSimulatedClient(new Network(schedule, random), server);
  return {
    db: overReplicas([{ client, check: () => Promise.resolve() }]),
    totals: () => Promise.resolve(totalsOf(server.content)),
    forgetTokens(table) {
      server.forgetTokens(table);
      return Promise.resolve();
    },
    loseRows(table, partition) {
      server.loseRows(table, partition);
      return Promise.resolve();
    },
  };
}

function totalsOf({
  evaluations,
  totals,
  markers,
  blocks,
  reasons,
  counters,
}: Content): Record<string, number> {
  const billionths = new Map(Array.from(totals, ([key, { total }]) => [key, Number(total)]));
  for (const table of TABLES) billionths.delete(`${table} `); // the sums of markers
  const sumOf = (sums: ReadonlyMap<string, number>, table: string): number =>
    [...sums].reduce((total, [key, count]) => (key.startsWith(`${table} `) ? total + count : total), 0);
  const ofFeatures = [...reasons].filter(([key]) => !/^\w+  /.test(key));
  const counts = new Map([...evaluations, ...ofFeatures]);
  const entries = TABLES.flatMap((table) => [
    [table, sumOf(table.startsWith('impact') ? billionths : counts, table)] as const,
    [`${table} markers`, sumOf(markers, table)] as const,
  ]);
  return { ...Object.fromEntries(entries), blocks: blocks.length, counters: counters.size };
}
