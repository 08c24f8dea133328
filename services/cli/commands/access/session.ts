import { Command } from 'commander';
import { type Config, FlagmeterError, type Log, amountOf } from '#base/runtime';
import { isUuid } from '#base/schema';
import { createSessionsStore } from '../../../admin/people/sessions/index.ts';
import { callerOf } from '../../caller.ts';
import { tableOf } from '../../columns.ts';
import { jsonOption, printJson } from '../../print-json.ts';
import { announceRevoked, withPostgres } from '../../revoking.ts';

type Session = Awaited<ReturnType<ReturnType<typeof createSessionsStore>['list']>>[number];
type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createSessionCommand({ log, readConfig }: Environment): Command {
  const command = new Command();
  command
    .command('list')
    .description('list open sessions, the latest use first')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      const config = readConfig();
      const sessions = await withPostgres(config, log, (db) =>
        createSessionsStore(db, config.auth.sessions.idleMs).list(),
      );
      if (json) printJson(sessions.map(documentOf));
      else console.log(tableOf(sessions.map(rowOf)));
    });
  command
    .command('revoke')
    .description('end a session, or all of them, in every process at once')
    .argument('[id]', 'id, as list shows it')
    .option('--all', 'end all sessions, for example after an older Postgres was restored')
    .action(async (id: string | undefined, { all = false }: { readonly all?: boolean }) => {
      if (all === (id !== undefined))
        throw new FlagmeterError('usage', 'name either the id of a session, or --all');
      if (id !== undefined) console.log(`Revoked ${await revoke(readConfig(), log, id)}.`);
      else console.log(`Revoked ${amountOf(await revokeAll(readConfig(), log), 'session')}.`);
    });
  return command;
}

/** Returns how many sessions have ended. */
async function revokeAll(config: Config, log: Log): Promise<number> {
  const ids = await withPostgres(config, log, (db) =>
    createSessionsStore(db, config.auth.sessions.idleMs).revokeAll({ caller: callerOf('session revoke') }),
  );
  await announceRevoked(config, log, ids);
  return ids.length;
}

/** Without what authenticates the session. */
function documentOf({ id, user, createdAt, seenAt, endsAt }: Session) {
  return { id, user: user.name, role: user.role, createdAt, seenAt, endsAt };
}

function rowOf({ id, user, createdAt, seenAt, endsAt }: Session) {
  return {
    id,
    user: user.name,
    role: user.role,
    'signed in': createdAt.toISOString(),
    seen: seenAt.toISOString(),
    'ends at the latest': endsAt.toISOString(),
  };
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
