import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import type { Config, Log } from '#runtime';
import { reachEngines } from '#setup';
import { exportDocument, openPostgres } from '#stores';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createExportCommand({ log, readConfig }: Environment): Command {
  return new Command('export')
    .description('write everything of the admin service as one JSON document')
    .argument('[file]', 'where to; standard output if left out')
    .action(async (file: string | undefined) => {
      await exportTo(readConfig(), log, file);
    });
}

/** The document holds hashes of secrets: only its owner may read the file. */
export async function exportTo(config: Config, log: Log, file: string | undefined): Promise<void> {
  await reachEngines(config, ['Postgres'], log);
  const db = openPostgres({ ...config.postgres, log });
  const target = file === undefined ? process.stdout : createWriteStream(file, { mode: 0o600 });
  try {
    await pipeline(Readable.from(exportDocument(db), { objectMode: false }), target);
  } finally {
    await db.end();
  }
}
