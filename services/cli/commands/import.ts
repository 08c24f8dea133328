import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { openPostgres } from '#postgres';
import { type Config, FlagmeterError, type Log } from '#runtime';
import { problemsOf } from '#counting';
import { compileGuard } from '#schema';
import { reachEngines } from '#setup';
import {
  type Exchange,
  type ImportCounts,
  countImport,
  exchangeSchema,
  importDocument,
} from '../../admin/exchange/index.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createImportCommand({ log, readConfig }: Environment): Command {
  return new Command('import')
    .description('import a document of export; what is here already stays as it is')
    .argument('<file>', 'a document as export writes it')
    .option('--dry-run', 'only show what would be new')
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }) => {
      const counts = await importFrom(readConfig(), log, { file, isDryRun: dryRun });
      console.table(counts);
      console.log(dryRun ? 'Nothing was written.' : 'Done.');
    });
}

type Import = { readonly file: string; readonly isDryRun: boolean };

/** Returns the number of new rows by part; throws a FlagmeterError if the file is not an export. */
export async function importFrom(
  config: Config,
  log: Log,
  { file, isDryRun }: Import,
): Promise<ImportCounts> {
  const document = await readDocument(file);
  await reachEngines(config, ['Postgres'], log);
  const db = openPostgres({ ...config.postgres, log });
  try {
    return await (isDryRun ? countImport : importDocument)(db, document);
  } finally {
    await db.end();
  }
}

async function readDocument(file: string): Promise<Exchange> {
  const isExchange = compileGuard<Exchange>(exchangeSchema);
  const document = parse(await readFile(file, 'utf8'));
  if (isExchange(document)) return document;
  const problems = problemsOf(isExchange).map(({ path, message }) => `${path} ${message}`);
  throw new FlagmeterError('document', `This is not a document of export:\n  ${problems.join('\n  ')}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FlagmeterError('document', 'The file is not JSON.', { cause });
  }
}
