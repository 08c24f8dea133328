import { type ClickHouse, runStatement } from '#core/clickhouse';
import type { AdminWorld, Answer } from './admin.ts';

const HOUR_MS = 3_600_000;

/** Answers of `GET /api/admin/metrics/usage`. */
export type Series = {
  feature: string | null;
  group: string | null;
  total: object;
  previous: object | null;
  yes?: (number | null)[];
  no?: (number | null)[];
  served?: (number | null)[];
};
export type UsageBody = {
  timezone: string;
  from: string;
  to: string;
  starts: string[];
  knownFrom: string | null;
  completeUntil: string;
  isLastComplete: boolean;
  series: Series[];
};

export type Count = { readonly at: string; readonly [column: string]: unknown };

/** Stores counts as a block does. */
export function countAll(clickhouse: ClickHouse, counts: readonly Count[]): Promise<unknown> {
  return clickhouse.insert({
    table: 'block_rows',
    format: 'JSONEachRow',
    values: counts.map(({ at, ...columns }) => ({
      kind: 'count',
      feature_name: 'a',
      app_name: 'shop',
      environment: 'production',
      hour: Date.parse(at) / 1000,
      yes: 1,
      no: 0,
      reports: 1,
      ...columns,
    })),
  });
}

/** One evaluation in each hour of [from, to). */
export function hourly(from: string, to: string, columns: object = {}): Count[] {
  const hours = (Date.parse(to) - Date.parse(from)) / HOUR_MS;
  return Array.from({ length: hours }, (_, hour) => ({
    at: new Date(Date.parse(from) + hour * HOUR_MS).toISOString(),
    ...columns,
  }));
}

export type UsageQuery = Record<string, string | string[]>;

export function askUsage({ api }: AdminWorld, query: UsageQuery): Promise<Answer> {
  const search = new URLSearchParams();
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) search.append(name, value);
  return api.get(`/api/admin/metrics/usage?${search.toString()}`);
}

/** Throws if the answer is not 200. */
export async function readUsage(world: AdminWorld, query: UsageQuery): Promise<UsageBody> {
  const { status, body } = await askUsage(world, query);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as UsageBody;
}

/** Keeps counts of any year, which the tables otherwise delete. */
export async function keepCounts(clickhouse: ClickHouse): Promise<void> {
  for (const table of ['usage', 'variants'])
    for (const [kind, time] of [
      ['hourly', 'hour'],
      ['daily', 'day'],
    ])
      await runStatement(clickhouse, `alter table ${table}_${kind} modify ttl ${time} + interval 3650 day`);
}
