/** A row of `block_rows` or `mixed_block_rows` by the names of its columns; those that the line leaves out are missing. */
export type InsertedRow = ReadonlyMap<string, unknown>;

/** The rows that ClickHouse writes as one part: those of one table, for one month or day if the table has them. */
export type Part = { readonly table: string; readonly target: string; readonly rows: readonly InsertedRow[] };

const DAY_MS = 86_400_000;

/** Where an INSERT goes. Tables tell equal tokens of several entries apart. */
type Entry = { readonly table: string; readonly columns: readonly string[] };

/** The parts of an INSERT, as the materialized views of infra/migrations/clickhouse make them. */
export function partsOf({ table: entry, columns }: Entry, lines: string): Part[] {
  const parts = new Map<string, Part & { readonly rows: InsertedRow[] }>();
  const add = (table: string, target: string, row: InsertedRow): void => {
    const stored = row.get('stored_targets');
    if (table !== COUNTER_STATES && Array.isArray(stored) && stored.includes(target)) return;
    const part = parts.get(target) ?? { table, target, rows: [] };
    parts.set(target, part);
    part.rows.push(row);
  };
  for (const line of lines.split('\n')) {
    if (line === '') continue;
    const values = JSON.parse(line) as unknown[]; // our own lines
    const row = new Map(values.map((value, index) => [columns[index] ?? '', value]));
    for (const table of tablesOf(entry, row))
      add(table, WITHOUT_TIME.has(table) ? table : `${table} ${partitionOf(table, row)}`, row);
  }
  return [...parts.values()];
}

const cachedEntries = new Map<string, Entry>();

export function entryOf(query: string): Entry {
  const known = cachedEntries.get(query);
  if (known !== undefined) return known;
  const [, table = '', list = ''] = /^insert into (\w+) \(([^)]*)\)/.exec(query) ?? [];
  const entry = { table, columns: list.split(', ') };
  cachedEntries.set(query, entry);
  return entry;
}

/** The element of a list that has at most one; without members if it is empty. */
export function elementOf(row: InsertedRow, column: string): Readonly<Record<string, unknown>> {
  const list = row.get(column);
  return Array.isArray(list) ? ((list[0] as Record<string, unknown> | undefined) ?? {}) : {}; // our own lines
}

/** Whether a row, or its marker, belongs to a Kafka partition. */
export function isOfPartition(row: InsertedRow, partition: number): boolean {
  const marker = /:(\d+)$/.exec(String(row.get('app_name')))?.[1];
  const ranges = ['block', 'counter'].map((column) => elementOf(row, column)['partition']);
  return ranges.includes(partition) || marker === String(partition);
}

function tablesOf(entry: string, row: InsertedRow): readonly string[] {
  const variants = row.get('variants');
  const hasVariants = Array.isArray(variants) && variants.length > 0;
  const kind = row.get('kind');
  switch (kind) {
    case 'count':
      return [...USAGE, ...(hasVariants ? VARIANTS : []), ...(row.get('minute') === 0 ? [] : [MINUTES])];
    case 'minutes_mark':
      return [MINUTES];
    case 'usage_mark':
      return USAGE;
    case 'variants_mark':
      return VARIANTS;
    case 'block':
      return ['blocks'];
  }
  if (entry !== 'mixed_block_rows')
    throw new Error(`no view copies rows of the kind ${String(kind)} from ${entry}`);
  switch (kind) {
    case 'impact':
    case 'impact_mark':
      return IMPACT;
    case 'gauge':
      return ['gauges_hourly'];
    case 'refusal':
    case 'refusals_mark':
      return ['refusals_daily'];
    case 'reason':
    case 'reason_mark':
      return REASONS;
    case 'counter':
      return [COUNTER_STATES];
    // Only the catalogue and guards read these.
    case 'sender':
    case 'evidence':
      return [];
    default:
      throw new Error(`no view copies rows of the kind ${String(kind)}`);
  }
}

const USAGE = ['usage_hourly', 'usage_daily'];
const VARIANTS = ['variants_hourly', 'variants_daily'];
const IMPACT = ['impact_hourly', 'impact_daily'];
const REASONS = ['reasons_hourly', 'reasons_daily'];
const COUNTER_STATES = 'counter_states';
const MINUTES = 'usage_minutely';
const WITHOUT_TIME: ReadonlySet<string> = new Set(['blocks', COUNTER_STATES]);

function partitionOf(table: string, row: InsertedRow): string {
  return isoDayOf(table, row)
    .slice(0, table === MINUTES ? 10 : 7)
    .replaceAll('-', '');
}

export function isoDayOf(table: string, row: InsertedRow): string {
  const time = row.get(table === MINUTES ? 'minute' : 'hour');
  const day = Math.floor((Number(time) * 1000) / DAY_MS);
  const known = days.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10);
  days.set(day, known);
  return known;
}

const days = new Map<number, string>();
