import { Command } from 'commander';
import { reachEngines, setUp } from '#tooling/operations';
import { type Config, type Log, createLog, readVersion, runService } from '#base/runtime';
import { startProcesses } from '../standalone/index.ts';
import { createAccessCommand } from './commands/access/access.ts';
import { createRoleCommand } from './commands/access/role.ts';
import { createAuditCommand } from './commands/audit.ts';
import { createBackupCommand, createRestoreCommand } from './commands/backup.ts';
import { createCompareUnleashCommand } from './commands/compare-unleash/compare-unleash.ts';
import { createDeadCommand } from './commands/dead/dead.ts';
import { createDoctorCommand } from './commands/doctor.ts';
import { createExportCommand } from './commands/export.ts';
import { createExportUsageCommand } from './commands/export-usage/export-usage.ts';
import { createGateCommand } from './commands/gate/gate.ts';
import { createImportCommand } from './commands/import/import.ts';
import { createImportUnleashCommand } from './commands/import-unleash/import-unleash.ts';
import { createLoadCommand } from './commands/load.ts';
import { createMcpCommand } from './commands/mcp/mcp.ts';
import { createNotifyCommand } from './commands/notify.ts';
import { createReconcileCommand } from './commands/reconcile/reconcile.ts';
import { createReplayCommand } from './commands/replay.ts';
import { createRetentionCommand } from './commands/retention.ts';
import { createSampleCommand } from './commands/sample.ts';
import { createScanCommand } from './commands/scan/scan.ts';
import { createSessionCommand } from './commands/session.ts';
import { createTokenCommand } from './commands/token/token.ts';
import { createTopCommand } from './commands/top/top.ts';

export type Environment = {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly readConfig: () => Config;
};

export function createProgram(environment: Environment): Command {
  const { env, log, readConfig } = environment;
  const program = new Command('flagmeter')
    .description('Usage metrics of feature flags: durable, exact, accounted for')
    .version(readVersion());
  program
    .command('migrate')
    .description('create or update tables, views, topics and the initial tokens')
    .action(async () => {
      const config = readConfig();
      await reachEngines(config, ['Postgres', 'ClickHouse', 'Kafka'], log);
      await setUp(config, log);
      console.log('Tables, views, topics and initial tokens are up to date.');
    });
  program
    .command('start')
    .description('run everything for one machine behind one port, and restart processes that die')
    .action(() => {
      const serviceLog = createLog('flagmeter', env['LOG_LEVEL']);
      return runService(serviceLog, () => startProcesses(readConfig(), env, serviceLog));
    });
  program.addCommand(createDoctorCommand(environment));
  program.addCommand(createReconcileCommand(environment));
  program.addCommand(createCompareUnleashCommand(environment));
  program.addCommand(createDeadCommand(environment));
  program.addCommand(createReplayCommand(environment));
  program.addCommand(createBackupCommand(environment));
  program.addCommand(createRestoreCommand(environment));
  program.addCommand(createRetentionCommand(environment));
  program.addCommand(createTopCommand(environment));
  program.addCommand(createTokenCommand(environment));
  program.addCommand(createSessionCommand(environment));
  program.addCommand(createRoleCommand(environment));
  program.addCommand(createAccessCommand(environment));
  program.addCommand(createAuditCommand(environment));
  program.addCommand(createMcpCommand(environment));
  program.addCommand(createNotifyCommand(environment));
  program.addCommand(createScanCommand(environment));
  program.addCommand(createGateCommand(environment));
  program.addCommand(createExportCommand(environment));
  program.addCommand(createExportUsageCommand(environment));
  program.addCommand(createImportCommand(environment));
  program.addCommand(createImportUnleashCommand(environment));
  program.addCommand(createLoadCommand(environment));
  program.addCommand(createSampleCommand(environment));
  pointToHelp(program, 'flagmeter');
  return program;
}

/** After wrong usage. Commands also throw instead of ending the process. Added commands inherit neither. */
function pointToHelp(command: Command, path: string): void {
  command.exitOverride().showHelpAfterError(`See ${path} --help.`);
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`);
}
