import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import type { Command } from 'commander';
import { bashScript } from '../../../../services/cli/completion/bash.ts';
import { fishScript } from '../../../../services/cli/completion/fish.ts';
import { type Step, stepsOf } from '../../../../services/cli/completion/words.ts';
import { zshScript } from '../../../../services/cli/completion/zsh.ts';
import { loadWholeProgram } from '../../../support/stack/processes/whole-program.ts';

describe('the completion of shells', () => {
  let program: Command;
  let steps: Step[];
  before(async () => {
    program = await loadWholeProgram();
    steps = stepsOf(program);
  });

  it('knows every command and option', () => {
    for (const { path, command } of allOf(program)) {
      const words = steps.find((step) => step.path === path)?.words.map(({ word }) => word);
      expect(words, path).to.include.members([
        ...command.commands.map((child) => child.name()),
        ...command.options.flatMap(({ long }) => long ?? []),
      ]);
    }
  });

  it('offers the same after each command in all shells', () => {
    for (const script of [bashScript(steps), zshScript(steps), fishScript(steps)])
      for (const { path, words } of steps) {
        const [, rest = ''] = script.split(new RegExp(`^ +(?:case )?'${path}'`, 'm'));
        const [offered = ''] = rest.split(/^ +(?:case )?(?:'|\*)/m);
        for (const { word } of words) expect(offered, path).to.include(word);
      }
  });

  const completions = [
    ['flagmeter tok', ['token']],
    ['flagmeter token ', ['create', 'list', 'rotate', 'revoke', '--help']],
    ['flagmeter token create --ty', ['--type']],
    ['flagmeter token create --type ', ['client', 'frontend', 'admin', 'scan']],
    ['flagmeter token create --name token --type fr', ['frontend']],
    ['flagmeter import ', ['--format', '--environment', '--dry-run', '--help']],
    ['flagmeter import --environment ', []],
    ['flagmeter completion z', []],
  ] as const;
  for (const [line, words] of completions)
    it(`completes "${line}" in bash to ${words.join(', ') || 'a file'}`, () => {
      expect(completedByBash(bashScript(steps), line)).to.deep.equal([...words]);
    });
});

function allOf(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  const children = command.commands.flatMap((child) => allOf(child, [...path, child.name()]));
  return [{ path: path.join(' '), command }, ...children];
}

/** Calls the function of the script as bash does when Tab is pressed. */
function completedByBash(script: string, line: string): string[] {
  const words = line.split(' ');
  const call = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _flagmeter; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-uc', `${script}\n${call}`], { encoding: 'utf8' })
    .split('\n')
    .filter((word) => word !== '');
}
