import { Command } from 'commander';
import { type Config, createLog, runService } from '#base/runtime';
import { startProcesses } from '../../standalone/index.ts';

type Environment = { readonly env: NodeJS.ProcessEnv; readonly readConfig: () => Config };

export function createStartCommand({ env, readConfig }: Environment): Command {
  return new Command().action(() => {
    const log = createLog('flagmeter', env['LOG_LEVEL']);
    return runService(log, () => startProcesses(readConfig(), env, log));
  });
}
