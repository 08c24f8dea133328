import { Argument, Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { stepsOf } from './words.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

type Environment = { readonly loadProgram: () => Promise<Command> };

export function createCompletionCommand({ loadProgram }: Environment): Command {
  return new Command()
    .addArgument(new Argument('<shell>').choices(Object.keys(SCRIPTS)))
    .action(async (shell: Shell) => {
      console.log(SCRIPTS[shell](stepsOf(await loadProgram())));
    });
}
