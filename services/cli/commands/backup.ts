import { Command, Option } from 'commander';
import { BACKED_UP, backUp, restore, withLockedEngines } from '#tooling/operations';
import { type Config, type Log, amountOf } from '#base/runtime';
import { createProgress } from '../progress.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createBackupCommand({ log, readConfig }: Environment): Command {
  return new Command()
    .argument('<folder>', 'a new folder for the dump of Postgres and the manifest')
    .addOption(new Option('--disk <name>', 'disk of the ClickHouse server for its part').default('backups'))
    .action(async (folder: string, { disk }: { readonly disk: string }) => {
      const { name } = await withProgress((onProgress) =>
        withLockedEngines(readConfig(), log, (engines) => backUp(engines, { folder, disk, onProgress })),
      );
      console.log(`The backup is complete: ${folder}, and ${name} on the disk ${disk} of ClickHouse.`);
    });
}

export function createRestoreCommand({ log, readConfig }: Environment): Command {
  return new Command()
    .argument('<folder>', 'the folder of the backup')
    .addOption(
      new Option('--only <engine>', 'restore this engine; the other one was not lost').choices(BACKED_UP),
    )
    .action(async (folder: string, { only }: { readonly only?: (typeof BACKED_UP)[number] }) => {
      const engines = only === undefined ? BACKED_UP : [only];
      const { takenAt, rebuild, settled } = await withProgress((onProgress) =>
        restore(readConfig(), log, { folder, engines, onProgress }),
      );
      console.log(
        rebuild === undefined
          ? 'Restored to the time of the backup. No counts were read from Kafka.'
          : `Restored: ${amountOf(rebuild.messages, 'message')} read from Kafka, ${amountOf(rebuild.restoredBlocks, 'block')} since the backup.`,
      );
      if (settled !== undefined) {
        const { sessions, schedules } = settled;
        console.log(
          `Ended: ${amountOf(sessions, 'session')}, and ${amountOf(schedules, 'schedule')} whose time has passed.`,
        );
        console.log(
          `Tokens and roles that were revoked after ${takenAt} are valid again: revoke them again.`,
        );
      }
      console.log('Start the workers, then run flagmeter reconcile.');
    });
}

async function withProgress<T>(work: (onProgress: (text: string) => void) => Promise<T>): Promise<T> {
  const progress = createProgress();
  try {
    return await work((text) => {
      progress.show(text);
    });
  } finally {
    progress.end();
  }
}
