import path from 'node:path';
import { Command, Option } from 'commander';
import {
  type ClickHouse,
  type ExportFormat,
  type ExportedDay,
  exportToS3,
  openClickHouse,
  streamExport,
} from '#core/clickhouse';
import { isoDay } from '#base/schema';
import { type Config, FlagmeterError, amountOf } from '#base/runtime';
import { type Granularity, readDays } from './days.ts';
import { writeWhole } from './write-whole.ts';

type Options = {
  readonly from: string;
  readonly to: string;
  readonly by: Granularity;
  readonly format: ExportFormat;
  readonly forSpreadsheets: boolean;
  readonly overwrite: boolean;
};

const VIEWS = {
  day: ['usage_by_day', 'variants_by_day'],
  hour: ['usage_by_hour', 'variants_by_hour'],
} as const;
/** A day of hours may have millions of rows. */
const TIMEOUT_MS = 300_000;

export function createExportUsageCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .argument('[directory]', 'where to; the bucket of EXPORT_S3_URL if left out')
    .requiredOption('--from <day>', 'first day (UTC), as 2026-11-21')
    .requiredOption('--to <day>', 'day after the last')
    .addOption(
      new Option('--by <unit>', 'export sums per day or per hour').choices(['day', 'hour']).default('day'),
    )
    .addOption(new Option('--format <format>', 'file format').choices(['parquet', 'csv']).default('parquet'))
    .addOption(
      new Option(
        '--for-spreadsheets',
        'put an apostrophe before names that a spreadsheet would run (CSV)',
      ).default(false),
    )
    .addOption(new Option('--overwrite', 'write files again that exist').default(false))
    .action(async (directory: string | undefined, { from, to, by, ...options }: Options) => {
      const { format, forSpreadsheets: isForSpreadsheets, overwrite } = options;
      if (isForSpreadsheets && format !== 'csv')
        throw new FlagmeterError('usage', '--for-spreadsheets needs --format csv');
      const config = readConfig();
      const days = readDays({ from, to, by }, config.retention);
      const db = openClickHouse({ ...config.clickhouse, timeoutMs: TIMEOUT_MS, readDeadlineMs: TIMEOUT_MS });
      try {
        const write = writerOf({ db, config, directory, overwrite });
        const files = days.flatMap((day) =>
          VIEWS[by].map((view) => ({ view, day: isoDay(day), format, isForSpreadsheets })),
        );
        await exportAll(files, write);
      } finally {
        await db.close();
      }
    });
}

/** Writes one file; returns false if it exists and was kept. */
type Write = (file: ExportedDay) => Promise<boolean>;

type ExportTarget = {
  readonly db: ClickHouse;
  readonly config: Config;
  readonly directory: string | undefined;
  readonly overwrite: boolean;
};

function writerOf({ db, config: { exportBucket: bucket }, directory, overwrite }: ExportTarget): Write {
  if (directory !== undefined)
    return (file) =>
      writeWhole({
        file: path.join(directory, file.view, `${file.day}.${file.format}`),
        overwrite,
        read: () => streamExport(db, file),
      });
  if (bucket !== undefined) return (file) => exportToS3(db, file, { bucket, overwrite });
  throw new FlagmeterError('usage', 'name a directory, or set EXPORT_S3_URL');
}

/** One after the other, so that an export takes the memory of one query. */
async function exportAll(files: readonly ExportedDay[], write: Write): Promise<void> {
  let written = 0;
  for (const file of files) {
    const isWritten = await write(file);
    if (isWritten) written += 1;
    console.log(`${file.view}/${file.day}.${file.format}: ${isWritten ? 'written' : 'exists, kept'}`);
  }
  console.log(`${amountOf(written, 'file')} written, ${files.length - written} kept.`);
}
