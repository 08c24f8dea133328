import { Command, Option } from 'commander';
import { type Config, describeSettings } from '#base/runtime';
import { tableOf } from '../columns.ts';
import { jsonOption, printJson } from '../print-json.ts';

type Environment = { readonly env: NodeJS.ProcessEnv; readonly readConfig: () => Config };
type Options = { readonly changed: boolean; readonly json: boolean };

/** Fails after its list if the settings are wrong, and then says what is. */
export function createSettingsCommand({ env, readConfig }: Environment): Command {
  return new Command()
    .addOption(new Option('--changed', 'only those that are not the default').default(false))
    .addOption(jsonOption())
    .action(({ changed, json }: Options) => {
      const settings = describeSettings(env).filter(
        ({ source }) => !changed || (source !== 'default' && source !== 'not set'),
      );
      if (json) printJson(settings);
      else console.log(tableOf(settings));
      readConfig();
    });
}
