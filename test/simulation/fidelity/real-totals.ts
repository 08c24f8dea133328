import { type ClickHouse, readRows } from '#core/clickhouse';
import { TABLES } from './simulated-clickhouse.ts';

/** As `totalsOf` adds up those of simulated tables. */
export async function readTotals(db: ClickHouse): Promise<Record<string, number>> {
  const counts = {
    usage: 'yes + no + unknown',
    variants: 'count',
    impact: 'total',
    refusals: 'count',
    reasons: 'evaluations',
  };
  const messages = {
    usage: 'reports',
    variants: "if(variant = '', count, 0)",
    impact: 'samples',
    refusals: "if(reason = '', count, 0)",
    reasons: "if(reason = '', evaluations, 0)",
  };
  const entries = TABLES.map(async (table) => {
    const kind = table.split('_')[0] as keyof typeof counts; // the tables above
    const name = nameColumnOf(table);
    const [row] = await readRows<{ counted: string; marked: string }>(
      db,
      `select
         sumIf(${counts[kind]}, ${name} != '') as counted,
         sumIf(${messages[kind]}, ${name} = '') as marked
       from ${table}`,
    );
    return [
      [table, Number(row?.counted)],
      [`${table} markers`, Number(row?.marked)],
    ] as const;
  });
  const [row] = await readRows<{ blocks: string; counters: string }>(
    db,
    'select (select count() from blocks) as blocks, (select count() from counter_states final) as counters',
  );
  const numbers = { blocks: Number(row?.blocks), counters: Number(row?.counters) };
  return { ...Object.fromEntries((await Promise.all(entries)).flat()), ...numbers };
}

export function nameColumnOf(table: string): string {
  return table.startsWith('impact') ? 'metric_name' : 'feature_name';
}
