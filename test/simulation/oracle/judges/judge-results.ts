import type { Content } from '../../clickhouse/content.ts';
import type { World } from '../../world.ts';

const TABLES = ['usage_hourly', 'usage_daily', 'usage_minutely'];

/** The result of an evaluation is unknown exactly if its exporter does not say it. */
export function* judgeResults({ exporters }: World, { evaluations, unknown }: Content): Generator<string> {
  for (const table of TABLES) {
    let unsaid = 0;
    for (const { outcomes } of exporters)
      for (const [feature, { hasVariant }] of outcomes) {
        const key = `${table} ${feature}`;
        const [all, found] = [evaluations.get(key) ?? 0, unknown.get(key) ?? 0];
        unsaid += found;
        if (found !== (hasVariant ? 0 : all))
          yield `${table} has ${found} of ${all} evaluations of ${feature} with an unknown result`;
      }
    const marked = unknown.get(`${table} `) ?? 0;
    const stored = [...unknown].filter(([key]) => key.startsWith(`${table} `));
    const all = stored.reduce((sum, [, count]) => sum + count, 0) - marked;
    if (all !== unsaid) yield `${table} has ${all} unknown results, but exporters left out ${unsaid}`;
    if (all !== marked) yield `${table} has ${all} unknown results, its markers ${marked}`;
  }
}
