import { Command, Option } from 'commander';
import {
  type ClickHouse,
  type RetentionRule,
  keptBy,
  openClickHouse,
  readBeyond,
  readRetention,
  retentionRules,
  ruleText,
  setRetention,
  shardsOf,
} from '#core/clickhouse';
import { type Config, amountOf } from '#base/runtime';
import { tableOf } from '../columns.ts';

export function createRetentionCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .addOption(new Option('--yes', 'really change it').default(false))
    .action(async ({ yes }: { yes: boolean }) => {
      const config = readConfig();
      const shards = shardsOf(config.clickhouse);
      for (const [number, clickhouse] of shards.entries()) {
        if (shards.length > 1) console.log(`Shard ${number + 1} of ${shards.length}`);
        const db = openClickHouse(clickhouse);
        try {
          await bringToSettings({ db, config: { ...config, clickhouse }, yes });
        } finally {
          await db.close();
        }
      }
    });
}

type Work = { readonly db: ClickHouse; readonly config: Config; readonly yes: boolean };

/** Prints the rules and the rows that they would delete, and changes the rules only with --yes. */
async function bringToSettings({ db, config, yes }: Work): Promise<void> {
  const rules = retentionRules(config.retention);
  const stored = new Map((await readRetention(db)).map((row) => [row.table, row]));
  const rows = rules.map((rule) => ({ rule, stored: stored.get(rule.table) }));
  console.log(
    tableOf(
      rows.map(({ rule, stored: row }) => ({
        table: rule.table,
        rule: row?.kept ?? 'no such table',
        configured: ruleText(rule),
        oldest: row?.oldest ?? '',
        newest: row?.newest ?? '',
      })),
    ),
  );
  const changes = rows.filter(({ rule, stored: row }) => row !== undefined && row.kept !== ruleText(rule));
  for (const { rule, stored: row } of changes) console.log(await planOf(db, rule, row?.kept ?? ''));
  if (changes.length === 0) console.log('All tables are as configured.');
  else if (!yes) console.log('Nothing was changed. Add --yes to change it.');
  else {
    for (const { rule } of changes) await setRetention(db, rule, config.clickhouse.cluster);
    console.log('The retention rules were changed. ClickHouse deletes expired rows in the background.');
  }
}

async function planOf(db: ClickHouse, rule: RetentionRule, kept: string): Promise<string> {
  const before = keptBy(rule, kept);
  if (before !== undefined && before < rule.count) return `${rule.table}: kept longer; deletes no rows.`;
  const { rows, days } = await readBeyond(db, rule);
  return `${rule.table}: kept shorter; deletes ${amountOf(rows, 'row')} of ${amountOf(days, 'day')} for ever.`;
}
