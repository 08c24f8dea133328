import { type Content, reasonKey } from '../../clickhouse/content.ts';
import type { World } from '../../world.ts';

const TABLES = [
  ['reasons_hourly', 'usage_hourly'],
  ['reasons_daily', 'usage_daily'],
] as const;

/** Each evaluation of an exporter has its reason, and no other one has any. */
export function* judgeReasons({ exporters }: World, { evaluations, reasons }: Content): Generator<string> {
  for (const [table, ofUsage] of TABLES) {
    let explained = 0;
    for (const { outcomes } of exporters)
      for (const [feature, outcome] of outcomes) {
        const counted = evaluations.get(`${ofUsage} ${feature}`) ?? 0;
        const found = reasons.get(reasonKey(table, feature, outcome)) ?? 0;
        explained += found;
        if (found !== counted)
          yield `${table} has ${found} of ${feature} as ${outcome.reason}, ${ofUsage} ${counted}`;
      }
    const marked = reasons.get(reasonKey(table, '', { reason: 'sum' })) ?? 0;
    const sums = [...reasons].filter(([key]) => key.startsWith(`${table} `));
    const all = sums.reduce((sum, [, count]) => sum + count, 0) - marked;
    if (all !== explained) yield `${table} has ${all} evaluations, but only ${explained} with their reasons`;
    if (all !== marked) yield `${table} has ${all} evaluations, its markers ${marked}`;
  }
}
