import type { Readable } from 'node:stream';
import type { ClickHouse } from './client/client.ts';

export type ExportFormat = 'parquet' | 'csv';

/** One file: the rows of a view for a day (UTC), as 2026-11-20. */
export type ExportedDay = {
  readonly view: keyof typeof COLUMNS;
  readonly day: string;
  readonly format: ExportFormat;
  /** Whether names that a spreadsheet would run as formulas get an apostrophe. */
  readonly isForSpreadsheets?: boolean;
};

export type Bucket = {
  readonly url: string;
  /** If undefined, the ClickHouse server uses its own credentials. Neither value contains a quotation mark. */
  readonly credentials: { readonly id: string; readonly secret: string } | undefined;
};

const COLUMNS = {
  usage_by_hour: ['hour', 'environment', 'feature_name', 'app_name', 'yes', 'no', 'unknown', 'reports'],
  variants_by_hour: ['hour', 'environment', 'feature_name', 'app_name', 'variant', 'count'],
  usage_by_day: ['day', 'environment', 'feature_name', 'app_name', 'yes', 'no', 'unknown', 'reports'],
  variants_by_day: ['day', 'environment', 'feature_name', 'app_name', 'variant', 'count'],
} as const;
const FORMATS = { parquet: 'Parquet', csv: 'CSVWithNames' } as const;

/**
 * The file as a stream. ClickHouse sends it only after the query has succeeded, and buffers it on disk until then.
 * Otherwise a query that fails halfway could look like a shorter file.
 */
export async function streamExport(db: ClickHouse, file: ExportedDay): Promise<Readable> {
  const { stream } = await db.exec({
    query: `${selectOf(file)}\nformat ${FORMATS[file.format]}`,
    query_params: { day: file.day },
    clickhouse_settings: { wait_end_of_query: 1 },
  });
  return stream;
}

/** Lets ClickHouse write the file to S3. Returns false if the file exists and `overwrite` is false. */
export async function exportToS3(
  db: ClickHouse,
  file: ExportedDay,
  { bucket, overwrite }: { readonly bucket: Bucket; readonly overwrite: boolean },
): Promise<boolean> {
  const { url, credentials } = bucket;
  // As text, because parameters travel in the URL, where proxies log them. ClickHouse hides them in its query log.
  const secrets = credentials === undefined ? '' : `'${credentials.id}', '${credentials.secret}', `;
  try {
    await db.command({
      query: `insert into function s3({url:String}, ${secrets}'${FORMATS[file.format]}')\n${selectOf(file)}`,
      query_params: { day: file.day, url: `${url}/${file.view}/${file.day}.${file.format}` },
      clickhouse_settings: {
        s3_truncate_on_insert: overwrite ? 1 : 0,
        // By default ClickHouse repeats 500 times, which takes hours.
        s3_retry_attempts: '5',
        wait_end_of_query: 1,
      },
    });
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  }
}

/** Sorted, so that two exports of equal data have their rows in equal order. */
function selectOf({ view, isForSpreadsheets = false }: ExportedDay): string {
  const columns = COLUMNS[view];
  const [time, ...others] = columns;
  const names = others.filter((column) => !SUMS.includes(column));
  const rows = `select ${columns.join(', ')}
from ${view}
where ${time} >= {day:Date}
  and ${time} < {day:Date} + interval 1 day
order by ${[time, ...names].join(', ')}`;
  if (!isForSpreadsheets) return rows;
  const safe = names.map((name) => `replaceRegexpAll(${name}, '${FORMULA}', '\\\\1''\\\\2') as ${name}`);
  return `select * replace (${safe.join(', ')}) from (${rows})`;
}

/**
 * How a formula begins, also in the wide characters of East Asian keyboards, and behind what a spreadsheet of another country takes for the
 * end of a cell. The console has the same rule.
 */
const FORMULA = '(^|[;,|"\\t])( *[=+@\\t\\r\uff1d\uff0b\uff0d\uff20-])';

const SUMS: readonly string[] = ['yes', 'no', 'unknown', 'reports', 'count'];

/** ClickHouse has no separate code for a file that exists. */
function isExisting(error: unknown): boolean {
  return error instanceof Error && /^Object in bucket .* already exists\./.test(error.message);
}
