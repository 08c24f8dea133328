import type { ClickHouseClient } from '@clickhouse/client';

/** Rows of a query, read as JSON. UInt64 comes as a string, so that no digit is lost. */
export async function readRows<Row>(
  db: Pick<ClickHouseClient, 'query'>,
  query: string,
  params: Record<string, unknown> = {},
): Promise<Row[]> {
  const result = await db.query({ query, query_params: params, format: 'JSONEachRow' });
  return result.json<Row>();
}
