import type { Command } from 'commander';
import { createLog } from '#base/runtime';
import { COMMANDS } from '../../../../services/cli/catalogue.ts';
import { createProgram } from '../../../../services/cli/program.ts';

/** The program with all commands, none of which may run. */
export function loadWholeProgram(): Promise<Command> {
  const environment = {
    env: {},
    log: createLog('test', 'fatal'),
    readConfig: () => {
      throw new Error('a command ran');
    },
  };
  return createProgram(() => Promise.resolve(environment), Object.keys(COMMANDS));
}
