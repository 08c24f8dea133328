import type { Content } from '../../clickhouse/content.ts';
import type { World } from '../../world.ts';
import { type Expected, judgeOnce } from '../expected.ts';

const USAGE = ['usage_hourly', 'usage_daily', 'usage_minutely'];
const WITH_VARIANTS = [...USAGE, 'variants_hourly', 'variants_daily'];

/** Each evaluation is in every table as often as expected. */
export function* judgeCounts(
  { recorded, withVariants }: World,
  { evaluations }: Content,
  expected: ReadonlyMap<string, Expected>,
): Generator<string> {
  for (const [feature, once] of recorded) {
    const times = expected.get(feature);
    if (times === undefined) continue;
    for (const table of withVariants.has(feature) ? WITH_VARIANTS : USAGE)
      yield* judgeOnce(
        `${table} has ${feature}`,
        (evaluations.get(`${table} ${feature}`) ?? 0) / once,
        times,
      );
  }
}
