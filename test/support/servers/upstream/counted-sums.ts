import type { World } from '../../world.ts';
import { keyOfImpact } from './unleash-sums.ts';

/** The counts of flagmeter, in the form of `UnleashSums.toObject`. */
export async function countedSums(world: World): Promise<Record<string, number>> {
  const [usage, variants, impact] = await Promise.all([
    world.query<{ key: string; yes: string; no: string }>(
      `select concat(environment, ' ', app_name, ' ', feature_name, ' ', ${HOUR}) as key, sum(u.yes) as yes, sum(u.no) as no
       from usage_by_hour as u
       group by key`,
    ),
    world.query<{ key: string; variant: string; count: string }>(
      `select concat(environment, ' ', app_name, ' ', feature_name, ' ', ${HOUR}) as key, variant, sum(v.count) as count
       from variants_by_hour as v
       group by key, variant`,
    ),
    world.query<{ metric_name: string; labels: Record<string, string>; value: number }>(
      `select metric_name, labels, sum(i.value) as value
       from impact_by_hour as i
       group by metric_name, labels`,
    ),
  ]);
  const sums = [
    ...usage.flatMap(({ key, yes, no }) => [
      [`${key} yes`, Number(yes)] as const,
      [`${key} no`, Number(no)] as const,
    ]),
    ...impact.map(({ metric_name, labels, value }) => [keyOfImpact(metric_name, labels), value] as const),
    ...variants.map(({ key, variant, count }) => [`${key} =${variant}`, Number(count)] as const),
  ];
  return Object.fromEntries(sums.filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const HOUR = `formatDateTime(hour, '%Y-%m-%dT%H:00:00.000Z')`;
