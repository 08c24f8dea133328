import type { ClickHouse } from './client/client.ts';

/**
 * The server ends the query at this deadline too. It is much longer than any query takes, because a late answer of a busy
 * ClickHouse is better than none, and no one waits longer for a page.
 */
const TIMEOUT_MS = 10_000;

/** Thrown when ClickHouse cannot be reached or does not answer in time. */
export class UsageUnavailableError extends Error {}

/** Rows of a query that people wait for. */
export async function readUsage<Row>(
  db: ClickHouse,
  query: string,
  params: Record<string, unknown>,
): Promise<Row[]> {
  try {
    const result = await db.query({
      query,
      query_params: params,
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(TIMEOUT_MS),
      clickhouse_settings: { max_execution_time: TIMEOUT_MS / 1000, max_result_rows: '100000' },
    });
    return await result.json<Row>();
  } catch (cause) {
    throw new UsageUnavailableError('usage cannot be read', { cause });
  }
}

export function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/**
 * A condition on `feature_name`: only features of the projects in the parameter `visible`, as the catalogue has them. None if
 * every project may be seen.
 */
export function ofProjects(visible: readonly string[] | undefined): string {
  return visible === undefined
    ? ''
    : `and feature_name in (
        select catalogue.feature_name
        from features as catalogue
        where catalogue.project in {visible:Array(String)}
      )`;
}
