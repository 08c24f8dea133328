import { Command, InvalidArgumentError } from 'commander';
import { reachEngines } from '#tooling/operations';
import { openPostgres } from '#base/postgres';
import { type Config, FlagmeterError, type Log } from '#base/runtime';
import { readReceivers, sendTest } from '../../admin/advice/notifications/index.ts';
import { tableOf } from '../columns.ts';
import { jsonOption, printJson } from '../print-json.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createNotifyCommand(environment: Environment): Command {
  const command = new Command();
  command
    .command('test')
    .description('send one message to each subscription, or to one, and show what it answered')
    .argument('[id]', 'number of a subscription; default: all', toId)
    .addOption(jsonOption())
    .action((id: number | undefined, { json }: { json: boolean }) => tryReceivers(environment, { id, json }));
  return command;
}

/** Exits with 1 if one of them has not accepted its message. */
async function tryReceivers(
  { log, readConfig }: Environment,
  { id, json }: { readonly id: number | undefined; readonly json: boolean },
): Promise<void> {
  const config = readConfig();
  await reachEngines(config, ['Postgres'], log);
  const db = openPostgres({ ...config.postgres, log });
  try {
    const receivers = await readReceivers(db, id);
    if (receivers.length === 0)
      throw new FlagmeterError(
        'not-found',
        id === undefined ? 'there are no subscriptions' : `there is no subscription ${id}`,
      );
    const tried = await Promise.all(
      receivers.map(async (receiver) => ({
        id: receiver.id,
        name: receiver.name,
        host: receiver.host,
        outcome: (await sendTest(config.notifications, receiver, 'flagmeter notify test')) ?? 'accepted',
      })),
    );
    if (json) printJson(tried);
    else console.log(tableOf(tried));
    if (tried.some(({ outcome }) => outcome !== 'accepted')) process.exitCode = 1;
  } finally {
    await db.end();
  }
}

function toId(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is a whole number, as the console shows it.');
}
