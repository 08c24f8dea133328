import { Command, Option } from 'commander';
import { refreshVerdicts } from '#core/clickhouse';
import { suspendVerdicts } from '#base/postgres';
import { parseTimestamp } from '#base/schema';
import { type HistoryOptions, type HistoryReport, foretellHistory, importHistory } from '#unleash/history';
import { reachEngines, withEngines, withLockedEngines } from '#tooling/operations';
import {
  type Config,
  FlagmeterError,
  type Log,
  overrideSettings,
  readConfig as readConfigOf,
} from '#base/runtime';
import { createProgress } from '../../progress.ts';
import { historyText } from './history-text.ts';

type Environment = {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly readConfig: () => Config;
};
type Options = { readonly database?: string; readonly before?: string; readonly yes: boolean };

const HOUR_MS = 3_600_000;

export function createImportUnleashCommand({ env, log, readConfig }: Environment): Command {
  return new Command()
    .option(
      '--database <url>',
      'Postgres of Unleash; UNLEASH_DATABASE_URL keeps a password out of the process list',
    )
    .option(
      '--before <hour>',
      'first hour (UTC) to leave out, as 2026-11-21T10:00:00Z; default: the first hour that flagmeter counted',
    )
    .addOption(new Option('--yes', 'really do it').default(false))
    .action(async ({ database, before, yes }: Options) => {
      const config =
        database === undefined
          ? readConfig()
          : readConfigOf(overrideSettings(env, { UNLEASH_DATABASE_URL: database }));
      const report = await run({ config, log, yes, before: hourOf(before) });
      console.log(historyText(report, yes));
    });
}

function hourOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTimestamp(text) ?? parseTimestamp(`${text}T00:00:00Z`);
  if (time !== undefined && time % HOUR_MS === 0) return time;
  throw new FlagmeterError('usage', '--before must be the start of an hour: 2026-11-21T10:00:00Z, or a day');
}

type Run = {
  readonly config: Config;
  readonly log: Log;
  readonly yes: boolean;
  readonly before: number | undefined;
};

async function run({ config, log, yes, before }: Run): Promise<HistoryReport> {
  const access = config.unleashDatabase;
  if (access === undefined)
    throw new FlagmeterError(
      'usage',
      'UNLEASH_DATABASE_URL or --database is needed: the Postgres of Unleash',
    );
  await reachEngines(config, ['Postgres', 'ClickHouse'], log);
  const progress = createProgress();
  const shared: Omit<HistoryOptions, 'db' | 'shards'> = {
    log,
    access,
    before,
    keptMonths: config.retention.dailyMonths,
    maxVariants: config.ingest.limits.maxVariants,
    onProgress: (text) => {
      progress.show(text);
    },
  };
  try {
    return yes
      ? await withLockedEngines(config, log, (engines, lock) =>
          suspendVerdicts(config.postgres, async () => {
            const report = await importHistory({ ...shared, ...engines }, lock);
            await refreshVerdicts(engines.clickhouse);
            return report;
          }),
        )
      : await withEngines(config, log, (engines) => foretellHistory({ ...shared, ...engines }));
  } finally {
    progress.end();
  }
}
