import { type Content, reasonKey } from '../clickhouse/content.ts';
import type { World } from '../world.ts';

/** Each evaluation of an exporter has its reason, and no other one has any. */
export function* judgeReasons({ exporters }: World, { evaluations, reasons }: Content): Generator<string> {
  let explained = 0;
  for (const { outcomes } of exporters)
    for (const [feature, outcome] of outcomes) {
      const counted = evaluations.get(`usage_hourly ${feature}`) ?? 0;
      const found = reasons.get(reasonKey(feature, outcome)) ?? 0;
      explained += found;
      if (found !== counted)
        yield `reasons_hourly has ${found} of ${feature} as ${outcome.reason}, usage_hourly ${counted}`;
    }
  const marked = reasons.get(reasonKey('', { reason: 'sum' })) ?? 0;
  const all = [...reasons.values()].reduce((sum, count) => sum + count, 0) - marked;
  if (all !== explained)
    yield `reasons_hourly has ${all} evaluations, but only ${explained} with their reasons`;
  if (all !== marked) yield `reasons_hourly has ${all} evaluations, its markers ${marked}`;
}
