import { open } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { reachEngines } from '#tooling/operations';
import { openPostgres } from '#base/postgres';
import type { Config, Log } from '#base/runtime';
import { recordEntry, whoIs } from '../../../admin/record/audit/index.ts';
import { exportDocument } from '../../../admin/doors/exchange/index.ts';
import { callerOf } from '../../caller.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createExportCommand({ log, readConfig }: Environment): Command {
  return new Command()
    .argument('[file]', 'where to; standard output if left out')
    .action(async (file: string | undefined) => {
      await exportTo(readConfig(), log, file);
    });
}

export async function exportTo(config: Config, log: Log, file: string | undefined): Promise<void> {
  await reachEngines(config, ['Postgres'], log);
  const db = openPostgres({ ...config.postgres, log });
  try {
    await recordEntry(db, { outcome: 'done', ...whoIs(callerOf('export')) });
    await pipeline(
      Readable.from(exportDocument(db), { objectMode: false }),
      file === undefined ? process.stdout : await openPrivately(file),
    );
  } finally {
    await db.end();
  }
}

/** Only the owner may read the file, because the document contains hashes of secrets. This also holds for an existing file. */
async function openPrivately(file: string): Promise<Writable> {
  const handle = await open(file, 'w', 0o600);
  // The mode above applies only to new files; a pipe has no mode.
  if ((await handle.stat()).isFile()) await handle.chmod(0o600);
  return handle.createWriteStream();
}
