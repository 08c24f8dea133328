import { Command, Option } from 'commander';
import { type Config, FlagmeterError } from '#runtime';
import {
  COMPARED_DAYS,
  type ClickHouse,
  type RetentionRule,
  keptBy,
  openClickHouse,
  readBeyond,
  readRetention,
  ruleText,
  setRetention,
} from '#stores';

const HOUR = 3_600_000;
/** Two days more than is compared: the first and the last of them may be partly there. */
const LEAST_COMPARED_DAYS = COMPARED_DAYS + 2;
const SHORTEST_MONTH_DAYS = 28;

export function createRetentionCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command('retention')
    .description('show how long tables keep their rows, and bring them to the settings')
    .addOption(new Option('--yes', 'really change it').default(false))
    .action(async ({ yes }: { yes: boolean }) => {
      const config = readConfig();
      const db = openClickHouse(config.clickhouse);
      try {
        await bringToSettings({ db, config, yes });
      } finally {
        await db.close();
      }
    });
}

type Work = { readonly db: ClickHouse; readonly config: Config; readonly yes: boolean };

/** Shows, checks, tells what would go, and only then changes anything. */
async function bringToSettings({ db, config, yes }: Work): Promise<void> {
  const rules = rulesOf(config);
  const stored = new Map((await readRetention(db)).map((row) => [row.table, row]));
  const rows = rules.map((rule) => ({ rule, stored: stored.get(rule.table) }));
  console.table(
    rows.map(({ rule, stored: row }) => ({
      table: rule.table,
      rule: row?.kept ?? 'no such table',
      configured: ruleText(rule),
      oldest: row?.oldest ?? '',
      newest: row?.newest ?? '',
    })),
  );
  refuseTooShort(config);
  const changes = rows.filter(({ rule, stored: row }) => row !== undefined && row.kept !== ruleText(rule));
  for (const { rule, stored: row } of changes) console.log(await planOf(db, rule, row?.kept ?? ''));
  if (changes.length === 0) console.log('All tables are as configured.');
  else if (!yes) console.log('Nothing was changed; --yes does it.');
  else {
    for (const { rule } of changes) await setRetention(db, rule, config.clickhouse.cluster);
    console.log('The rules were changed; rows beyond them go in the background.');
  }
}

function rulesOf({ retention }: Config): RetentionRule[] {
  const { hourlyDays, dailyMonths, refusalsDays, blocksDays } = retention;
  return [
    { table: 'usage_hourly', time: 'hour', unit: 'Day', many: hourlyDays },
    { table: 'variants_hourly', time: 'hour', unit: 'Day', many: hourlyDays },
    { table: 'usage_daily', time: 'day', unit: 'Month', many: dailyMonths },
    { table: 'variants_daily', time: 'day', unit: 'Month', many: dailyMonths },
    { table: 'feature_app_seen_states', time: 'last_hour', unit: 'Month', many: dailyMonths },
    { table: 'refusals_daily', time: 'day', unit: 'Day', many: refusalsDays },
    { table: 'blocks', time: 'toDateTime(stored_at)', unit: 'Day', many: blocksDays },
  ];
}

/** Late data must land in its hour and day, and what reconcile compares must be there on both sides. */
function refuseTooShort({ retention, ingest }: Config): void {
  const { hourlyDays, dailyMonths, blocksDays } = retention;
  const leastUsage = Math.max(LEAST_COMPARED_DAYS, Math.ceil(ingest.limits.maxAgeMs / HOUR / 24) + 1);
  const problems = [
    ['RETENTION_HOURLY_DAYS', hourlyDays, leastUsage, 'days'],
    ['RETENTION_DAILY_MONTHS', dailyMonths, Math.ceil(leastUsage / SHORTEST_MONTH_DAYS), 'months'],
    ['RETENTION_BLOCKS_DAYS', blocksDays, LEAST_COMPARED_DAYS, 'days'],
  ] as const;
  const texts = problems.flatMap(([name, many, least, unit]) =>
    many < least ? `${name} must be ${least} ${unit} at least` : [],
  );
  if (texts.length === 0) return;
  const reason = `metrics may be as old as MAX_METRIC_AGE_HOURS, and reconcile compares ${COMPARED_DAYS} days`;
  throw new FlagmeterError('retention-too-short', `${texts.join('; ')}: ${reason}`);
}

async function planOf(db: ClickHouse, rule: RetentionRule, kept: string): Promise<string> {
  const before = keptBy(rule, kept);
  if (before !== undefined && before < rule.many) return `${rule.table}: kept longer; no row goes.`;
  const { rows, days } = await readBeyond(db, rule);
  return `${rule.table}: kept shorter; ${rows} rows of ${days} days go for ever.`;
}
