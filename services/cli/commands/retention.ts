import { Command, Option } from 'commander';
import {
  type ClickHouse,
  type RetentionRule,
  type StoredRetention,
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
import { setMinutes } from '#tooling/operations';
import { tableOf } from '../columns.ts';
import { jsonOption, printJson } from '../print-json.ts';

export function createRetentionCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .addOption(new Option('--yes', 'really change it').default(false))
    .addOption(jsonOption().conflicts('yes'))
    .action(async ({ yes, json }: { yes: boolean; json: boolean }) => {
      const config = readConfig();
      const shards = shardsOf(config.clickhouse);
      const documents: unknown[] = [];
      for (const [index, clickhouse] of shards.entries()) {
        const shard = index + 1;
        if (shards.length > 1 && !json) console.log(`Shard ${shard} of ${shards.length}`);
        const db = openClickHouse(clickhouse);
        try {
          const rows = await readRows(db, config);
          documents.push(...rows.map((row) => ({ shard, ...documentOf(row) })));
          if (!json) await bringToSettings(rows, { db, config: { ...config, clickhouse }, yes });
        } finally {
          await db.close();
        }
      }
      if (json) printJson(documents);
    });
}

type Row = { readonly rule: RetentionRule; readonly stored: StoredRetention | undefined };

async function readRows(db: ClickHouse, config: Config): Promise<Row[]> {
  const stored = new Map((await readRetention(db)).map((row) => [row.table, row]));
  return retentionRules(config.retention).map((rule) => ({ rule, stored: stored.get(rule.table) }));
}

function documentOf({ rule, stored }: Row) {
  const { kept = null, oldest = null, newest = null } = stored ?? {};
  return { table: rule.table, rule: kept, configured: ruleText(rule), oldest, newest };
}

type Work = { readonly db: ClickHouse; readonly config: Config; readonly yes: boolean };

/** Prints the rules and the rows that they would delete, and changes the rules only with --yes. */
async function bringToSettings(rows: readonly Row[], { db, config, yes }: Work): Promise<void> {
  console.log(
    tableOf(
      rows.map(documentOf).map(({ rule, oldest, newest, ...row }) => ({
        table: row.table,
        rule: rule ?? 'no such table',
        configured: row.configured,
        oldest: oldest ?? '',
        newest: newest ?? '',
      })),
    ),
  );
  const changes = rows.filter(({ rule, stored: row }) => row !== undefined && row.kept !== ruleText(rule));
  for (const { rule, stored: row } of changes) console.log(await planOf(db, rule, row?.kept ?? ''));
  if (changes.length === 0) console.log('All tables are as configured.');
  else if (!yes) console.log('Nothing was changed. Add --yes to change it.');
  else {
    for (const change of changes) await changeRule(change, { db, config });
    console.log('The retention rules were changed. ClickHouse deletes expired rows in the background.');
  }
}

/** Minutes begin before their rule says so, and the other way round: whatever an interruption leaves, the next run completes. */
async function changeRule(
  { rule, stored }: Row,
  { db, config: { clickhouse } }: Omit<Work, 'yes'>,
): Promise<void> {
  const wereKept = keptBy(rule, stored?.kept ?? '') !== 0;
  const areKept = rule.count !== 0;
  if (wereKept !== areKept) await setMinutes(clickhouse, areKept);
  await setRetention(db, rule, clickhouse.cluster);
}

async function planOf(db: ClickHouse, rule: RetentionRule, kept: string): Promise<string> {
  const before = keptBy(rule, kept);
  if (before !== undefined && before < rule.count) return `${rule.table}: kept longer; deletes no rows.`;
  const { rows, days } = await readBeyond(db, rule);
  return `${rule.table}: kept shorter; deletes ${amountOf(rows, 'row')} of ${amountOf(days, 'day')} for ever.`;
}
