import { Command } from 'commander';
import { type Config, type Log, amountOf } from '#base/runtime';
import { readChain, readLogged, verifyChain } from '../../admin/record/audit/index.ts';
import { withPostgres } from '../revoking.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createAuditCommand({ log, readConfig }: Environment): Command {
  const command = new Command();
  command
    .command('verify')
    .description('check that no entry of the audit was changed or deleted')
    .option('--head <hash>', 'a hash that this command printed before; notices if later entries are gone')
    .action(async ({ head }: { readonly head?: string }) => {
      const {
        entries,
        last,
        head: lasting,
        prunedThrough,
        trouble,
        unreadable,
      } = await withPostgres(
        readConfig(),
        log,
        // The log first: entries that are added meanwhile are behind it.
        async (db) => {
          const logged = await readLogged(db);
          return verifyChain(await readChain(db), { head, logged });
        },
      );
      if (prunedThrough !== undefined)
        console.log(`The entries up to ${prunedThrough} were pruned because of their age.`);
      if (unreadable.length > 0) {
        console.log(`Somebody has added entries that are not readable: ${unreadable.join(', ')}.`);
        process.exitCode = 1;
      }
      if (trouble !== undefined) {
        console.log(`${trouble} ${amountOf(entries, 'entry', 'entries')} before it agree.`);
        process.exitCode = 1;
        return;
      }
      console.log(`${amountOf(entries, 'entry', 'entries')} agree.`);
      if (last !== undefined) console.log(`The last one is ${last.sequence} of ${last.at}.`);
      if (lasting !== undefined && lasting.sequence !== last?.sequence)
        console.log(`Later ones than ${lasting.sequence} are of strangers, and are deleted soon.`);
      if (lasting !== undefined) console.log(`Head: ${lasting.hash}`);
    });
  return command;
}
