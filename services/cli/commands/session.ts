import { Command } from 'commander';
import { type Config, FlagmeterError, type Log } from '#base/runtime';
import { isUuid } from '#base/schema';
import { createSessionsStore } from '../../admin/people/sessions/index.ts';
import { callerOf } from '../caller.ts';
import { tableOf } from '../columns.ts';
import { announceRevoked, withPostgres } from '../revoking.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createSessionCommand({ log, readConfig }: Environment): Command {
  const command = new Command('session').description('list and revoke the sessions of people who signed in');
  command
    .command('list')
    .description('list open sessions, the latest use first')
    .action(async () => {
      const config = readConfig();
      const sessions = await withPostgres(config, log, (db) =>
        createSessionsStore(db, config.auth.sessions.idleMs).list(),
      );
      console.log(
        tableOf(
          sessions.map(({ id, user, createdAt, seenAt, endsAt }) => ({
            id,
            user: user.name,
            role: user.role,
            'signed in': createdAt.toISOString(),
            seen: seenAt.toISOString(),
            'ends at the latest': endsAt.toISOString(),
          })),
        ),
      );
    });
  command
    .command('revoke')
    .description('end a session in every process at once')
    .argument('<id>', 'id, as list shows it')
    .action(async (id: string) => {
      console.log(`Revoked ${await revoke(readConfig(), log, id)}.`);
    });
  return command;
}

/** Returns the id as it is stored, because other processes compare the announced id with it. */
async function revoke(config: Config, log: Log, id: string): Promise<string> {
  if (!isUuid(id))
    throw new FlagmeterError(
      'usage',
      `"${id}" is not the id of a session: flagmeter session list shows them`,
    );
  const revoked = await withPostgres(config, log, (db) =>
    createSessionsStore(db, config.auth.sessions.idleMs).revoke(id, { caller: callerOf('session revoke') }),
  );
  await announceRevoked(config, log, [revoked]);
  return revoked;
}
