import {
  type ClickHouse,
  type RetentionRule,
  type StoredRetention,
  readRows,
  retentionRules,
  ruleText,
  withoutStackTrace,
} from '#core/clickhouse';
import { type Config, amountOf, sentenceOf } from '#base/runtime';
import { type KeptTable, judgeDisk } from '../checks/servers/disk.ts';
import { type Judgement, fail, ok, warn } from '../finding.ts';

/** The window that the migrations set: how many INSERTs a table remembers. */
const PLANNED_WINDOW = 20_000;

/**
 * Every table that a view fills from INSERTs needs a window, because a repeated INSERT would count twice in a table without one. A view
 * that is computed again and again replaces its table.
 */
export async function examineWindows(db: ClickHouse): Promise<Judgement> {
  const windows = await readRows<{ name: string; places: string }>(
    db,
    `select
       name,
       toString(toUInt64OrZero(if(
         startsWith(engine, 'Replicated'),
         extract(engine_full, '[ ,]replicated_deduplication_window = ([0-9]+)'),
         extract(engine_full, 'non_replicated_deduplication_window = ([0-9]+)')
       ))) as places
     from system.tables
     where database = currentDatabase()
       and engine != 'Null'
       and name in (
         select extract(create_table_query, ' TO (?:[^ ]+[.])?([^ (]+)')
         from system.tables
         where database = currentDatabase()
           and engine = 'MaterializedView'
           and name not in (select view from system.view_refreshes where database = currentDatabase())
       )
     order by name`,
  );
  if (windows.length === 0) return fail('There are no tables that store blocks.', 'Run flagmeter migrate.');
  const small = windows.filter(({ places }) => Number(places) < PLANNED_WINDOW);
  if (small.length === 0) return ok(`All ${windows.length} tables recognise repeated INSERTs.`);
  const listed = small.map(({ name, places }) => `${name} (${places})`).join(', ');
  const text = `These tables remember fewer than ${PLANNED_WINDOW} INSERTs: ${listed}.`;
  const advice = 'Stop the workers, and set the window with alter table ... modify setting.';
  return small.some(({ places }) => places === '0') ? fail(text, advice) : warn(text, advice);
}

/** ClickHouse keeps the last verdicts if it cannot compute new ones. */
export async function examineVerdicts(db: ClickHouse): Promise<Judgement> {
  const views = await readRows<{ view: string; age: string | null; exception: string }>(
    db,
    `select view, toString(dateDiff('second', last_success_time, now('UTC'))) as age, exception
     from system.view_refreshes
     where database = currentDatabase()
     order by last_success_time`,
  );
  const [oldest] = views;
  if (oldest === undefined) return fail('There are no stored verdicts.', 'Run flagmeter migrate.');
  const failed = views.find(({ exception }) => exception !== '');
  if (failed !== undefined)
    return warn(
      `ClickHouse cannot compute ${failed.view}: ${sentenceOf(withoutStackTrace(failed.exception))}`,
      'Until it can, everybody sees the last verdicts. Their column computed_at says how old they are.',
    );
  if (views.some(({ age }) => age === null)) return ok('ClickHouse computes the verdicts within a minute.');
  return ok(`ClickHouse computed the verdicts ${amountOf(Number(oldest.age), 'second')} ago.`);
}

export function examineRetention(stored: readonly StoredRetention[], { retention }: Config): Judgement {
  const kept = new Map(stored.map((row) => [row.table, row.kept]));
  const others = retentionRules(retention).filter((rule) => kept.get(rule.table) !== ruleText(rule));
  if (others.length === 0) return ok('All tables keep their rows as configured.');
  return warn(
    `These tables keep their rows for another time than configured: ${others.map(({ table }) => table).join(', ')}.`,
    'Run flagmeter retention, which shows what --yes would change.',
  );
}

/** The disk with the least free space. */
export async function examineDisk(
  db: ClickHouse,
  tables: readonly StoredRetention[],
  { retention }: Config,
): Promise<Judgement> {
  const [disk] = await readRows<{ name: string; free: string; total: string }>(
    db,
    `select name, toString(free_space) as free, toString(total_space) as total
     from system.disks
     where total_space > 0
     order by free_space / total_space
     limit 1`,
  );
  if (disk === undefined) throw new Error('system.disks shows no disk');
  const stored = new Map(tables.map((row) => [row.table, row]));
  const kept = retentionRules(retention).map((rule) => keptTable(rule, stored.get(rule.table)));
  return judgeDisk({ name: disk.name, freeBytes: Number(disk.free), totalBytes: Number(disk.total) }, kept);
}

const DAYS: Readonly<Record<RetentionRule['unit'], number>> = { Hour: 1 / 24, Day: 1, Month: 30.4 };

function keptTable(rule: RetentionRule, stored: StoredRetention | undefined): KeptTable {
  const { oldest, newest, bytes = 0 } = stored ?? {};
  const storedDays =
    oldest === undefined || newest === undefined
      ? 0
      : (Date.parse(newest) - Date.parse(oldest)) / 86_400_000 + 1;
  return { bytes, storedDays, keptDays: rule.count * DAYS[rule.unit] };
}
