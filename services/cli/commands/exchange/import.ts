import { Command, Option } from 'commander';
import { reachEngines } from '#tooling/operations';
import { openPostgres } from '#base/postgres';
import type { Config, Log } from '#base/runtime';
import {
  type Conversion,
  type ImportCounts,
  countImport,
  importDocument,
} from '../../../admin/doors/exchange/index.ts';
import { callerOf } from '../../caller.ts';
import { tableOf } from '../../columns.ts';
import { IMPORT_FORMATS } from './import-formats.ts';
import { type ImportFile, readImportFile } from './read-import-file.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createImportCommand({ log, readConfig }: Environment): Command {
  return new Command()
    .argument(
      '<file>',
      'written by flagmeter export, or by features-batch/export of Unleash, or flags of another system',
    )
    .addOption(
      new Option('--format <format>', 'what the file is; recognised by its content if left out').choices(
        IMPORT_FORMATS,
      ),
    )
    .option('--environment <name>', 'where the flags of flagd and GO Feature Flag are on or off')
    .option('--dry-run', 'only show what would be new')
    .action(async (file: string, { dryRun = false, ...options }: Options) => {
      const { created, existing, omitted } = await importFrom(readConfig(), log, {
        ...options,
        file,
        isDryRun: dryRun,
      });
      console.log(
        tableOf(
          Object.entries(created).map(([part, count]) => ({
            part,
            created: count,
            existing: existing[part] ?? 0,
          })),
        ),
      );
      for (const [member, count] of Object.entries(omitted))
        if (count > 0)
          console.log(`${count} ${member} were omitted, because flagmeter has no place for them.`);
      console.log(dryRun ? 'Nothing was written.' : 'Done.');
    });
}

type Options = Omit<ImportFile, 'file'> & { readonly dryRun?: boolean };

type Import = ImportFile & { readonly isDryRun: boolean };

/** Counts by part. `existing` are the rows of the file that were here before, and so stay unchanged. */
export type ImportReport = {
  readonly created: ImportCounts;
  readonly existing: Readonly<Record<string, number>>;
  readonly omitted: Conversion['omitted'];
};

/** Throws a FlagmeterError if the file has none of the formats. */
export async function importFrom(
  config: Config,
  log: Log,
  { isDryRun, ...file }: Import,
): Promise<ImportReport> {
  const { document, omitted } = await readImportFile(file);
  await reachEngines(config, ['Postgres'], log);
  const db = openPostgres({ ...config.postgres, log });
  try {
    const created = isDryRun
      ? await countImport(db, document)
      : await importDocument(db, document, callerOf('import'));
    return { created, existing: existingOf(document, created), omitted };
  } finally {
    await db.end();
  }
}

function existingOf(document: Conversion['document'], created: ImportCounts): Record<string, number> {
  const given: Readonly<Record<string, unknown>> = document;
  return Object.fromEntries(
    Object.entries(created).map(([part, count]) => {
      const rows = given[part];
      return [part, (Array.isArray(rows) ? rows.length : 0) - count];
    }),
  );
}
