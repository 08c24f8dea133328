import type { History } from '../../../support/builders/history.ts';
import type { World } from '../../../support/world.ts';

const MINUTE_S = 60;
/** Verdicts leave out the last five minutes, and the hour of a history began ten minutes before it. */
const END_S = 5 * MINUTE_S;

/** Counts by the minute in which they arrived: 1 is the last one that verdicts examine. */
export type Arrival = {
  readonly environment: string;
  readonly feature: string;
  readonly app?: string;
  readonly minutesAgo: number;
  readonly evaluations: number;
};

export const MINUTES_OF_DAY = 24 * 60;

export async function writeArrivals(
  { clickhouse }: World,
  { atS }: History,
  arrivals: readonly Arrival[],
): Promise<void> {
  await clickhouse.insert({
    table: 'usage_minutely',
    values: arrivals.map(({ environment, feature, app = 'shop', minutesAgo, evaluations }) => ({
      feature_name: feature,
      environment,
      app_name: app,
      minute: atS - END_S - minutesAgo * MINUTE_S,
      yes: evaluations,
      no: 0,
      unknown: 0,
      reports: 1,
    })),
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0 },
  });
}

/** The same evaluations in each of the last minutes up to `until`. */
export function eachMinute(
  arrival: Omit<Arrival, 'minutesAgo'>,
  { minutes = 60, until = 0 } = {},
): Arrival[] {
  return Array.from({ length: minutes }, (_, index) => ({ ...arrival, minutesAgo: until + index + 1 }));
}
