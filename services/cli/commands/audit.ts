import { Command } from 'commander';
import { type Config, type Log, amountOf } from '#runtime';
import { readChain, verifyChain } from '../../admin/audit/index.ts';
import { withPostgres } from '../revoking.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createAuditCommand({ log, readConfig }: Environment): Command {
  const command = new Command('audit').description('verify who did what');
  command
    .command('verify')
    .description('check that no entry of the audit was changed or deleted')
    .option('--head <hash>', 'a hash that this command printed before; notices if later entries are gone')
    .action(async ({ head }: { readonly head?: string }) => {
      const { entries, last, prunedThrough, trouble } = await withPostgres(readConfig(), log, async (db) =>
        verifyChain(await readChain(db), head),
      );
      if (prunedThrough !== undefined)
        console.log(`The entries up to ${prunedThrough} were pruned because of their age.`);
      if (trouble !== undefined) {
        console.log(`${trouble} ${amountOf(entries, 'entry', 'entries')} before it agree.`);
        process.exitCode = 1;
        return;
      }
      console.log(`${amountOf(entries, 'entry', 'entries')} agree.`);
      if (last !== undefined)
        console.log(`The last one is ${last.sequence} of ${last.at}.\nHead: ${last.hash}`);
    });
  return command;
}
