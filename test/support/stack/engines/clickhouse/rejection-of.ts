import type { ClickHouse } from '#core/clickhouse';

/** The error code with which ClickHouse rejects a statement; undefined if it accepts it. */
export async function rejectionOf(db: ClickHouse, query: string): Promise<string | undefined> {
  try {
    await db.command({ query });
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
