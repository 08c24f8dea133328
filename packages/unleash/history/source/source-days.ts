import type { OutsideRows, SourceDay, SourceSums } from '../plan.ts';
import { type HistoryRange, SOURCES, type SourceTable, dayOfRow, paramsOf } from './source-tables.ts';
import type { UnleashSnapshot } from './source.ts';

/** The sums of each day of the range in both tables of Unleash. Invalid counts are left out of the sums. */
export async function readSourceSums(snapshot: UnleashSnapshot, range: HistoryRange): Promise<SourceSums> {
  const days: SourceDay[] = [];
  const outside = { tooOld: 0, imported: 0, later: 0 };
  for (const table of SOURCES) {
    const sums = await readSums(snapshot, table, range);
    const variants = new Map((await readVariants(snapshot, table, range)).map((row) => [row.day, row.count]));
    for (const { day, rows, yes, no } of sums) {
      if (isOutside(day)) outside[day] += Number(rows);
      else
        days.push({
          source: table.source,
          day,
          rows: Number(rows),
          yes: BigInt(yes),
          no: BigInt(no),
          variants: BigInt(variants.get(day) ?? 0),
        });
    }
  }
  return { days, outside };
}

function isOutside(day: string): day is keyof OutsideRows {
  return day === 'tooOld' || day === 'imported' || day === 'later';
}

type SumsRow = { readonly day: string; readonly rows: string; readonly yes: string; readonly no: string };

async function readSums(
  snapshot: UnleashSnapshot,
  table: SourceTable,
  range: HistoryRange,
): Promise<SumsRow[]> {
  const { rows } = await snapshot.query<SumsRow>(
    `select ${dayOrOutside(table)} as day, count(*) as rows, sum(${valid('m.yes')}) as yes, sum(${valid('m.no')}) as no
     from ${table.rows} as m
     group by 1
     order by 1`,
    paramsOf(range),
  );
  return rows;
}

type VariantsRow = { readonly day: string; readonly count: string };

async function readVariants(
  snapshot: UnleashSnapshot,
  table: SourceTable,
  range: HistoryRange,
): Promise<VariantsRow[]> {
  const { rows } = await snapshot.query<VariantsRow>(
    `select ${dayOrOutside(table)} as day, sum(${valid('m.count')}) as count
     from ${table.variants} as m
     group by 1`,
    paramsOf(range),
  );
  return rows;
}

function dayOrOutside(table: SourceTable): string {
  return `case
       when ${table.at} < $1::timestamptz then 'tooOld'
       when ${table.at} < $2::timestamptz then 'imported'
       when ${table.isLater} then 'later'
       else ${dayOfRow(table)}::text
     end`;
}

/** A count if it is one, otherwise 0. */
function valid(column: string): string {
  return `case when ${column} between 0 and ${Number.MAX_SAFE_INTEGER} then ${column} else 0 end`;
}
