import { COUNT_TABLES } from '../../../packages/core/clickhouse/count-tables.ts';
import { overReplicas } from '../../../packages/core/clickhouse/client/replicas.ts';
import { insertBlocks } from '../../../packages/core/clickhouse/blocks/insert-blocks.ts';
import { namesOfTargets } from '../../../packages/core/clickhouse/blocks/markers.ts';
import { createRandom } from '#tooling/traffic';
import { createSimulatedClient } from '../clickhouse/client.ts';
import type { Content } from '../clickhouse/content.ts';
import { ClickHouseServer } from '../clickhouse/server.ts';
import { Network } from '../network.ts';
import type { Schedule } from '../time/schedule.ts';
import type { ClickHouseSubject } from './clickhouse-script.ts';

export const TABLES = COUNT_TABLES.map(({ table }) => table);

/** `torn`: the parts that an INSERT stores before it is killed. */
export function createSimulatedClickHouse(schedule: Schedule, torn: readonly string[]): ClickHouseSubject {
  const random = createRandom(1);
  const server = new ClickHouseServer('clickhouse', { schedule, random });
  const client = createSimulatedClient(new Network(schedule, random), server);
  const db = overReplicas([{ client, check: () => Promise.resolve() }]);
  const restart = (): Promise<void> => {
    server.kill();
    server.start();
    return Promise.resolve();
  };
  return {
    db,
    restart,
    async killWithin(block) {
      const storedTargets = namesOfTargets(block).filter((name) => !torn.includes(name));
      await insertBlocks(db, [block], { storedTargets });
      await restart();
    },
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

/** As `readTotals` reads them from real tables. */
export function totalsOf({
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
