import { Command, Option } from 'commander';
import type { Config, Log } from '#base/runtime';
import { createDeadList, createDeadShow } from './list.ts';
import { type ResolveOptions, resolve } from './resolve.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createDeadCommand(environment: Environment): Command {
  const command = new Command();
  command.addCommand(createDeadList(environment));
  command.addCommand(createDeadShow(environment));
  command.addCommand(
    createResolve(environment, {
      name: 'replay',
      description: 'count dead letters that can be decoded today, each exactly once',
      resolution: 'replayed',
    }),
  );
  command.addCommand(
    createResolve(environment, {
      name: 'drop',
      description: 'drop dead letters: they are counted as dropped and never replayed',
      resolution: 'dropped',
    }),
  );
  return command;
}

type Named = {
  readonly name: string;
  readonly description: string;
  readonly resolution: 'replayed' | 'dropped';
};

function createResolve({ log, readConfig }: Environment, { name, description, resolution }: Named): Command {
  return new Command(name)
    .description(`${description}; only shows what it would do without --yes`)
    .argument('[keys...]', 'keys, as list shows them')
    .addOption(new Option('--all', 'all that are open').default(false))
    .addOption(new Option('--yes', 'really do it').default(false))
    .action(async (keys: string[], options: Pick<ResolveOptions, 'all' | 'yes'>) => {
      const isWhole = await resolve({ config: readConfig(), log }, { keys, resolution, ...options });
      process.exitCode = isWhole ? 0 : 1;
    });
}
