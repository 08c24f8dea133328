import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Command } from 'commander';
import { loadWholeProgram } from '../../../support/stack/processes/whole-program.ts';
import {
  type Document,
  codeBlocksOf,
  codeSpansOf,
  readDocuments,
} from '../../../support/documents/documents.ts';

let program: Command;
const makefile = readFileSync('Makefile', 'utf8');

describe('the commands in the documents', () => {
  before(async () => {
    program = await loadWholeProgram();
  });

  it('are all in the table of docs/operate/commands.md, which has no others', () => {
    const [, table = ''] = /^\| command \| does \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page()) ?? [];
    const firstCells = table.split('\n').flatMap((row) => row.split(/(?<!\\)\|/)[1] ?? []);
    const listed = firstCells.flatMap((cell) =>
      [...cell.matchAll(/`flagmeter ([\w-]+)/g)].map(([, name]) => name),
    );
    expect(listed).to.have.members(program.commands.map((command) => command.name()));
  });

  it('are listed with all their subcommands', () => {
    for (const { commands, ...command } of program.commands.map(described)) {
      if (commands.length === 0) continue;
      expect(page()).to.include(`\`flagmeter ${command.name} ${commands.join(String.raw`\|`)}\``);
    }
  });

  for (const document of readDocuments()) {
    it(`exist, with their options: ${document.file}`, () => {
      expect(commandLinesOf(document).flatMap(problemsOf)).to.deep.equal([]);
    });

    it(`exist as make targets: ${document.file}`, () => {
      const verbs = codeOf(document).flatMap(
        (line) => /^(?:[A-Z_]+=\S+ )*make ([a-z-]+)/.exec(line)?.[1] ?? [],
      );
      expect(verbs.filter((verb) => !new RegExp(`^${verb}:`, 'm').test(makefile))).to.deep.equal([]);
    });
  }
});

function page(): string {
  return readFileSync('docs/operate/commands.md', 'utf8');
}

function described(command: Command): { readonly name: string; readonly commands: string[] } {
  return { name: command.name(), commands: command.commands.map((child) => child.name()) };
}

/** Lines of code blocks, and inline code. */
function codeOf(document: Document): string[] {
  const lines = codeBlocksOf(document).flatMap(({ code }) => code.split('\n'));
  return [...lines, ...codeSpansOf(document)].map((line) => line.trim());
}

/** The words after `flagmeter` in each command line. */
function commandLinesOf(document: Document): string[][] {
  return codeOf(document).flatMap((line) => {
    const [, rest] = /^(?:flagmeter|node dist\/services\/cli\/main\.js)(?: (.*))?$/.exec(line) ?? [];
    return rest === undefined
      ? []
      : [
          rest
            .replaceAll(String.raw`\|`, '|')
            .split(/[\s[\]]+/)
            .filter(Boolean),
        ];
  });
}

/** Commands and options of a command line that do not exist. */
function problemsOf(words: readonly string[]): string[] {
  let known: readonly Command[] = [program];
  return words.flatMap((word) => {
    const problem = [`${words.join(' ')}: ${word}`];
    if (word.startsWith('--')) return known.every((command) => hasOption(command, word)) ? [] : problem;
    const children = known.flatMap(({ commands }) => commands);
    if (children.length === 0) return []; // an argument
    const named = word.split('|').map((name) => children.find((child) => child.name() === name));
    if (named.includes(undefined)) return problem;
    known = named.filter((command) => command !== undefined);
    return [];
  });
}

function hasOption({ options }: Command, flag: string): boolean {
  if (flag === '--help') return true;
  return options.some(({ long }) => long === flag);
}
