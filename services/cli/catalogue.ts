import type { Command } from 'commander';
import type { Environment } from './environment.ts';

type Entry = {
  readonly description: string;
  /** Imports the module of the command only when it is called, because most of them import the clients of engines. */
  readonly load: () => Promise<(environment: Environment) => Command>;
};

/** All commands of flagmeter, in the order of its help. Their modules know neither name nor description. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  try: {
    description: 'install engines for this user and run everything with a made-up shop, until Ctrl-C',
    load: async () => (await import('./commands/try.ts')).createTryCommand,
  },
  migrate: {
    description: 'create or update tables, views, topics and the initial tokens',
    load: async () => (await import('./commands/migrate.ts')).createMigrateCommand,
  },
  start: {
    description: 'run everything for one machine behind one port, and restart processes that die',
    load: async () => (await import('./commands/start.ts')).createStartCommand,
  },
  doctor: {
    description: 'check engines, topics, tables, tokens and the accounting; exit 1 if something is wrong',
    load: async () => (await import('./commands/doctor.ts')).createDoctorCommand,
  },
  reconcile: {
    description: 'prove that every received metric is accounted for; exit 1 if not, 2 if that is unknown',
    load: async () => (await import('./commands/reconcile/reconcile.ts')).createReconcileCommand,
  },
  'compare-unleash': {
    description:
      'compare the counts of Unleash with those of flagmeter; exit 1 if they differ, 2 if that is unknown',
    load: async () =>
      (await import('./commands/compare-unleash/compare-unleash.ts')).createCompareUnleashCommand,
  },
  dead: {
    description: 'dead letters: messages that could not be decoded, kept with their bytes',
    load: async () => (await import('./commands/dead/dead.ts')).createDeadCommand,
  },
  replay: {
    description:
      'rebuild days in ClickHouse from Kafka, workers stopped; only shows the change without --yes',
    load: async () => (await import('./commands/replay.ts')).createReplayCommand,
  },
  backup: {
    description: 'back up ClickHouse and Postgres while everything runs',
    load: async () => (await import('./commands/backup.ts')).createBackupCommand,
  },
  restore: {
    description: 'restore a backup into empty databases, and count what came after it from Kafka',
    load: async () => (await import('./commands/backup.ts')).createRestoreCommand,
  },
  retention: {
    description: 'show how long tables keep their rows, and apply the settings',
    load: async () => (await import('./commands/retention.ts')).createRetentionCommand,
  },
  top: {
    description: 'show the busiest features of the current hour and the accounting, until Ctrl-C',
    load: async () => (await import('./commands/top/top.ts')).createTopCommand,
  },
  token: {
    description: 'create, list, rotate and revoke API tokens',
    load: async () => (await import('./commands/token/token.ts')).createTokenCommand,
  },
  session: {
    description: 'list and revoke the sessions of people who signed in',
    load: async () => (await import('./commands/access/session.ts')).createSessionCommand,
  },
  role: {
    description: 'list the roles that users can have in projects',
    load: async () => (await import('./commands/access/role.ts')).createRoleCommand,
  },
  access: {
    description: 'list, grant and revoke the roles of users in a project',
    load: async () => (await import('./commands/access/access.ts')).createAccessCommand,
  },
  audit: {
    description: 'verify who did what',
    load: async () => (await import('./commands/audit.ts')).createAuditCommand,
  },
  mcp: {
    description: 'serve tools for an agent over standard input and output, with the token in FLAGMETER_TOKEN',
    load: async () => (await import('./commands/mcp/mcp.ts')).createMcpCommand,
  },
  notify: {
    description: 'try the receivers of notifications',
    load: async () => (await import('./commands/notify.ts')).createNotifyCommand,
  },
  scan: {
    description: 'find names of features in a git repository, with the token in FLAGMETER_TOKEN',
    load: async () => (await import('./commands/scan/scan.ts')).createScanCommand,
  },
  gate: {
    description: 'examine the calls in changed files, with the token in FLAGMETER_TOKEN',
    load: async () => (await import('./commands/gate/gate.ts')).createGateCommand,
  },
  export: {
    description: 'write all data of the admin service as one JSON document',
    load: async () => (await import('./commands/exchange/export.ts')).createExportCommand,
  },
  'export-usage': {
    description: 'write usage as one file per day and view, to a directory or to S3',
    load: async () => (await import('./commands/export-usage/export-usage.ts')).createExportUsageCommand,
  },
  import: {
    description:
      'add the data of an export file, or the features of a flag file; existing data stays unchanged',
    load: async () => (await import('./commands/exchange/import.ts')).createImportCommand,
  },
  'import-unleash': {
    description:
      "import the hours and days that Unleash's database has, each once; only shows them without --yes",
    load: async () =>
      (await import('./commands/import-unleash/import-unleash.ts')).createImportUnleashCommand,
  },
  load: {
    description:
      'send batches of generated metrics with the token in FLAGMETER_TOKEN, and measure the answers; exit 1 if any was not a 202',
    load: async () => (await import('./commands/load.ts')).createLoadCommand,
  },
  sample: {
    description: 'fill flagmeter with a made-up shop and 35 days of its evaluations, to look at',
    load: async () => (await import('./commands/sample.ts')).createSampleCommand,
  },
  settings: {
    description: 'show each setting with its value and where that comes from, without secrets',
    load: async () => (await import('./commands/settings.ts')).createSettingsCommand,
  },
  completion: {
    description: 'print a script with which bash, zsh or fish completes commands and options',
    load: async () => (await import('./completion/completion.ts')).createCompletionCommand,
  },
};
