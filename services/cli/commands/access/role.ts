import { Command } from 'commander';
import type { Config, Log } from '#base/runtime';
import { createRoles } from '../../../admin/people/roles/index.ts';
import { tableOf } from '../../columns.ts';
import { jsonOption, printJson } from '../../print-json.ts';
import { withPostgres } from '../../revoking.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };

export function createRoleCommand({ log, readConfig }: Environment): Command {
  const command = new Command();
  command
    .command('list')
    .description('list roles with their permissions; those that always exist come first')
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      const roles = await withPostgres(readConfig(), log, (db) => createRoles(db).list());
      if (json) printJson(roles);
      else
        console.log(
          tableOf(
            roles.map(({ name, permissions, description }) => ({
              name,
              permissions: permissions.join(','),
              description: description ?? '',
            })),
          ),
        );
    });
  return command;
}
