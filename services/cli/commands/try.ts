import path from 'node:path';
import { Command, Option } from 'commander';
import {
  prepareEngines,
  removeTrial,
  runAtTerminal,
  runTrial,
  trialDirectory,
  userDirectory,
} from '#tooling/stack';

type Environment = { readonly env: NodeJS.ProcessEnv };
type Options = { readonly engines: boolean; readonly remove: boolean };

/** The program itself: a source, or a compiled file. */
const PROGRAM = path.resolve(import.meta.dirname, `../main${path.extname(import.meta.filename)}`);

export function createTryCommand({ env }: Environment): Command {
  return new Command()
    .addOption(new Option('--engines', 'only install the engines').default(false).conflicts('remove'))
    .addOption(
      new Option('--remove', 'stop it, and delete its data and the engines that it installed').default(false),
    )
    .addHelpText('after', MORE)
    .action(({ engines, remove }: Options) =>
      runAtTerminal(path.join(trialDirectory, 'logs'), async (interrupted) => {
        if (remove) {
          await removeTrial();
          console.log(`removed what was in ${userDirectory}`);
        } else if (engines) await prepareEngines();
        else await runTrial({ env, program: PROGRAM }, interrupted);
        return 0;
      }),
    );
}

const MORE = `
It installs Kafka, ClickHouse, Postgres and a Java runtime, unless the machine has them, starts them on free ports of
this machine, fills flagmeter with a made-up shop, and prints a link that signs in to the console. Ctrl-C stops all.

  PORT            the port of flagmeter: by default 4242, or any free one if that is taken
  XDG_DATA_HOME   where the folder flagmeter with engines and data is: by default ~/.local/share`;
