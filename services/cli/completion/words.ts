import type { Command, Option } from 'commander';

export type Word = { readonly word: string; readonly description: string };

/** What may follow a command, or an option that takes a value. */
export type Step = {
  /** The words before it without the name of the program, such as `token create` or `token create --type`. */
  readonly path: string;
  readonly words: readonly Word[];
};

/** The steps of a command and of all below it. Where there are no words, shells complete names of files. */
export function stepsOf(command: Command, path: readonly string[] = []): Step[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const children = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return [
    {
      path: path.join(' '),
      words: [
        ...children.map((child) => ({ word: child.name(), description: child.description() })),
        ...options.map((option) => ({ word: flagOf(option), description: option.description })),
      ],
    },
    ...options
      .filter((option) => option.required || option.optional)
      .map((option) => ({
        path: [...path, flagOf(option)].join(' '),
        words: (option.argChoices ?? []).map((word) => ({ word, description: '' })),
      })),
    ...children.flatMap((child) => stepsOf(child, [...path, child.name()])),
  ];
}

function flagOf({ long, short }: Option): string {
  return long ?? short ?? '';
}
