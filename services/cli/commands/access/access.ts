import { Command } from 'commander';
import { type Config, FlagmeterError, type Log } from '#base/runtime';
import { createRoles } from '../../../admin/people/roles/index.ts';
import { callerOf } from '../../caller.ts';
import { tableOf } from '../../columns.ts';
import { jsonOption, printJson } from '../../print-json.ts';
import { announceRevoked, withPostgres } from '../../revoking.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };
type Roles = ReturnType<typeof createRoles>;
type Assignment = Awaited<ReturnType<Roles['listAccess']>>[number];
type GrantOptions = { environment: string[] };
type Change = { readonly project: string; readonly user: string; readonly role: string };

export function createAccessCommand({ log, readConfig }: Environment): Command {
  const command = new Command();
  command
    .command('list')
    .description('list who has which role in a project, at most 1,000')
    .argument('<project>', 'id of the project')
    .addOption(jsonOption())
    .action(async (project: string, { json }: { json: boolean }) => {
      const access = await withPostgres(readConfig(), log, (db) => createRoles(db).listAccess(project));
      if (json) printJson(access);
      else console.log(tableOf(access.map(rowOf)));
    });
  command.addCommand(createGrantCommand({ log, readConfig }));
  command.addCommand(createRevokeCommand({ log, readConfig }));
  return command;
}

function createGrantCommand({ log, readConfig }: Environment): Command {
  const command = new Command('grant');
  return command
    .description('give a user a role in a project, or other environments for it, in every process at once')
    .argument('<project>', 'id of the project')
    .argument('<user>', 'e-mail address or username')
    .argument('<role>', 'name, as flagmeter role list shows it')
    .option('--environment <name...>', 'the environments that the user may change; default: all', [])
    .action(async (project: string, user: string, role: string) => {
      const config = readConfig();
      const environments = [...new Set(command.opts<GrantOptions>().environment)];
      const { assignment, tokenIds } = await withPostgres(config, log, (db) =>
        createRoles(db).grant({ project, user, role, environments, caller: callerOf('access grant') }),
      );
      await announceRevoked(config, log, tokenIds);
      const { userName, userId, issuer } = assignment;
      const who = `${userName} (user ${userId}, ${issuer === null ? 'by tokens only' : `signed in by ${issuer}`})`;
      console.log(`${who} has the role ${role} in ${project}.`);
    });
}

function createRevokeCommand({ log, readConfig }: Environment): Command {
  return new Command('revoke')
    .description('take a role in a project from a user, in every process at once')
    .argument('<project>', 'id of the project')
    .argument('<user>', 'user or id, as list shows it')
    .argument('<role>', 'name, as list shows it')
    .action(async (project: string, user: string, role: string) => {
      const config = readConfig();
      const { assignment, tokenIds } = await withPostgres(config, log, (db) =>
        revoke(createRoles(db), { project, user, role }),
      );
      await announceRevoked(config, log, tokenIds);
      console.log(`${assignment.userName} no longer has the role ${role} in ${project}.`);
    });
}

function rowOf({ userId, userName, issuer, role, environments, fromGroups }: Assignment) {
  return {
    id: userId,
    user: userName,
    'signed in by': issuer ?? 'tokens only',
    role,
    environments: environments.join(',') || '*',
    'given by': fromGroups ? 'groups' : 'people',
  };
}

async function revoke(roles: Roles, { project, user, role }: Change) {
  const userId = holderOf(await roles.listAccess(project), { project, user, role });
  return roles.revoke({ project, userId, role, caller: callerOf('access revoke') });
}

/** The id of the user who has this role. */
function holderOf(access: readonly Assignment[], { project, user, role }: Change): number {
  const holder = access.find(
    ({ userId, userName, role: held }) => held === role && (userName === user || String(userId) === user),
  );
  if (holder === undefined)
    throw new FlagmeterError(
      'not-found',
      `${user} does not have the role ${role} in ${project}: flagmeter access list ${project} shows who has which`,
    );
  return holder.userId;
}
