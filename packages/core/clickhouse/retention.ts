import type { Config } from '#base/runtime';
import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client/client.ts';
import { COUNT_TABLES } from './count-tables.ts';

/** How long a table keeps its rows. */
export type RetentionRule = {
  readonly table: string;
  /** Expression for the time at which a row's age begins. */
  readonly time: string;
  readonly unit: 'Hour' | 'Day' | 'Month';
  readonly count: number;
};

export type StoredRetention = {
  readonly table: string;
  /** The current rule, as ClickHouse writes it. */
  readonly kept: string;
  /** Days; undefined while the table is empty. */
  readonly oldest: string | undefined;
  readonly newest: string | undefined;
  /** Bytes on disk, compressed. */
  readonly bytes: number;
};

/** The rules of the settings. */
export function retentionRules({
  minutelyHours,
  hourlyDays,
  dailyMonths,
  refusalsDays,
  blocksDays,
}: Config['retention']): RetentionRule[] {
  const hours = { unit: 'Day', count: hourlyDays } as const;
  const days = { unit: 'Month', count: dailyMonths } as const;
  const refusals = { unit: 'Day', count: refusalsDays } as const;
  const ofCounts = COUNT_TABLES.map(({ table, kind, time }): RetentionRule => {
    // All minutes of a day are deleted at once, so that their partition is dropped.
    if (time === 'minute')
      return { table, time: `toStartOfDay(${time} + toIntervalDay(1))`, unit: 'Hour', count: minutelyHours };
    const kept = time === 'hour' ? hours : days;
    return { table, time, ...(kind === 'refusals' ? refusals : kept) };
  });
  return [
    ...ofCounts,
    { table: 'gauges_hourly', time: 'hour', ...hours },
    { table: 'evidence_hourly', time: 'hour', ...hours },
    { table: 'impact_metric_states', time: 'last_hour', ...days },
    { table: 'relay_reports', time: 'toDateTime(received_at)', ...hours },
    { table: 'relays_daily', time: 'day', ...days },
    { table: 'blocks', time: 'toDateTime(stored_at)', unit: 'Day', count: blocksDays },
  ];
}

/** The rule as ClickHouse writes it. */
export function ruleText({ time, unit, count }: RetentionRule): string {
  return `${time} + toInterval${unit}(${count})`;
}

/** How many units the current rule keeps; undefined if its form is not ours. */
export function keptBy({ time, unit }: RetentionRule, kept: string): number | undefined {
  const [begin, end] = [`${time} + toInterval${unit}(`, ')'];
  if (!kept.startsWith(begin) || !kept.endsWith(end)) return undefined;
  const count = Number(kept.slice(begin.length, -end.length));
  return Number.isSafeInteger(count) ? count : undefined;
}

export async function readRetention(db: ClickHouse): Promise<StoredRetention[]> {
  const rows = await readRows<{
    table_name: string;
    kept: string;
    oldest: string | null;
    newest: string | null;
    stored_bytes: string;
  }>(db, 'select table_name, kept, oldest, newest, stored_bytes from retention order by table_name');
  return rows.map(({ table_name: table, kept, oldest, newest, stored_bytes: bytes }) => ({
    table,
    kept,
    oldest: oldest ?? undefined,
    newest: newest ?? undefined,
    bytes: Number(bytes),
  }));
}

/** What a rule would delete of the stored rows. The texts of the rule come only from constants. */
export async function readBeyond(
  db: ClickHouse,
  rule: RetentionRule,
): Promise<{ readonly rows: number; readonly days: number }> {
  const [row] = await readRows<{ rows: string; days: string }>(
    db,
    `select count() as rows, uniqExact(toDate(${rule.time})) as days
     from ${quoteIdentifier(rule.table)}
     where ${rule.count === 0 ? 'true' : `${ruleText(rule)} <= now('UTC')`}`,
  );
  return { rows: Number(row?.rows ?? 0), days: Number(row?.days ?? 0) };
}

/** Sets the rule. ClickHouse applies it to stored rows in the background. May be repeated. With minutes, see `beginMinutes` and `endMinutes`. */
export async function setRetention(db: ClickHouse, rule: RetentionRule, cluster: string): Promise<void> {
  const onCluster = cluster === '' ? '' : `on cluster ${quoteIdentifier(cluster)}`;
  await runStatement(
    db,
    `alter table ${quoteIdentifier(rule.table)} ${onCluster} modify ttl ${ruleText(rule)}`,
    { materialize_ttl_after_modify: 1 },
  );
}

/** Copies the current rules of a database's tables to a copy of the database. */
export async function copyRetention(from: ClickHouse, to: ClickHouse): Promise<void> {
  const copied = new Map((await readRetention(to)).map(({ table, kept }) => [table, kept]));
  for (const { table, kept } of await readRetention(from)) {
    if (kept === '' || (copied.get(table) ?? kept) === kept) continue;
    // The text of a rule as ClickHouse wrote it, which was checked when the rule was set.
    await runStatement(to, `alter table ${quoteIdentifier(table)} modify ttl ${kept}`);
  }
}
