import { MAX_NAME_LENGTH } from '#base/schema';
import { PAGE_ROWS, type Pages, pageOf, readPages } from '#base/postgres';
import type { SourceDay } from '../plan.ts';
import { type HistoryRange, SOURCE_TABLES, type SourceTable, dayOfRow, paramsOf } from './source-tables.ts';
import type { UnleashSnapshot } from './source.ts';

/** A row of Unleash with its variants. Counts are text, because they may be of any size. */
export type HistoryRow = {
  readonly feature_name: string;
  readonly app_name: string;
  readonly environment: string;
  /** Start of its hour or day, epoch milliseconds. */
  readonly at_ms: string;
  readonly yes: string | null;
  readonly no: string | null;
  /** Names and counts; of a long list only the first ones, which are enough to refuse the row. */
  readonly variants: readonly (readonly [name: string, count: string | null])[];
};

type KeyedRow = HistoryRow & { readonly key_text: string; readonly size_bytes: number };

export type RowsToRead = {
  readonly range: HistoryRange;
  /** The days of one table. */
  readonly days: readonly SourceDay[];
  readonly maxVariants: number;
};

/**
 * Pages of the rows of some days, in the order of the primary key. Without these settings Postgres expects few rows of the days,
 * and reads and sorts the whole table for each page.
 */
export async function readSourceRows(
  snapshot: UnleashSnapshot,
  source: SourceDay['source'],
  { range, days, maxVariants }: RowsToRead,
): Promise<Pages<HistoryRow>> {
  await snapshot.query(
    'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off',
  );
  const table = SOURCE_TABLES[source];
  const names = days.map(({ day }) => day);
  return readPages<KeyedRow>(async (last) => {
    const after = last && [last.feature_name, last.app_name, last.environment, last.key_text];
    const from = selectAfter(table, after !== undefined);
    const { rows } = await snapshot.query<KeyedRow>(
      pageOf({ from, order: 'feature_name, app_name, environment, key' }),
      [...paramsOf(range), names, maxVariants + 1, ...(after ?? [])],
    );
    return rows;
  });
}

/** A name that is too long is cut one character behind the limit. */
function selectAfter(table: SourceTable, isAfter: boolean): string {
  const { rows, variants, key, at, isLater } = table;
  return `
    select
      m.feature_name,
      m.app_name,
      m.environment,
      m.${key} as key,
      m.${key}::text as key_text,
      trunc(extract(epoch from ${at}) * 1000)::text as at_ms,
      m.yes::text as yes,
      m.no::text as no,
      v.variants,
      (octet_length(m.feature_name) + octet_length(m.app_name) + octet_length(m.environment) + v.bytes + 64)::integer as size_bytes
    from (
      select m.*
      from ${rows} as m
      where ${at} >= greatest($1::timestamptz, $2::timestamptz)
        and not ${isLater}
        and ${dayOfRow(table)} = any($4::date[])
        ${isAfter ? `and (m.feature_name, m.app_name, m.environment, m.${key}) > ($6, $7, $8, $9)` : ''}
      order by m.feature_name, m.app_name, m.environment, m.${key}
      limit ${PAGE_ROWS}
    ) as m
    cross join lateral (
      select
        coalesce(json_agg(json_build_array(name, count::text)), '[]') as variants,
        coalesce(sum(octet_length(name) + 16), 0) as bytes
      from (
        select left(variant, ${MAX_NAME_LENGTH + 1}) as name, count
        from ${variants} as v
        where v.feature_name = m.feature_name
          and v.app_name = m.app_name
          and v.environment = m.environment
          and v.${key} = m.${key}
        order by variant
        limit $5
      ) as first
    ) as v`;
}

/** The number of different names in the rows of the plan. */
export async function countNames(
  snapshot: UnleashSnapshot,
  range: HistoryRange,
  days: readonly SourceDay[],
): Promise<{ features: number; applications: number; environments: number }> {
  const selects = Object.values(SOURCE_TABLES).map(
    (table, index) => `
      select m.feature_name, m.app_name, m.environment
      from ${table.rows} as m
      where ${table.at} >= greatest($1::timestamptz, $2::timestamptz)
        and not ${table.isLater}
        and ${dayOfRow(table)} = any($${index + 4}::date[])`,
  );
  const { rows } = await snapshot.query<Record<'features' | 'applications' | 'environments', string>>(
    `select
       count(distinct feature_name) as features,
       count(distinct app_name) as applications,
       count(distinct environment) as environments
     from (${selects.join(' union all ')}) as names`,
    [...paramsOf(range), ...Object.values(SOURCE_TABLES).map(({ source }) => daysOf(days, source))],
  );
  const [row] = rows;
  return {
    features: Number(row?.features ?? 0),
    applications: Number(row?.applications ?? 0),
    environments: Number(row?.environments ?? 0),
  };
}

function daysOf(days: readonly SourceDay[], source: SourceDay['source']): string[] {
  return days.flatMap((one) => (one.source === source ? one.day : []));
}
