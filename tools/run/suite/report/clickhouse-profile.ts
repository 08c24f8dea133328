import { openClickHouse, readRows, runStatement } from '#core/clickhouse';
import type { StackAddresses } from '../../../stack/index.ts';
import type { FileTime } from './file-times.ts';

/** The statements of one kind, of one test file or of one text. */
type Share = { readonly name: string; readonly statements: number; readonly cpuSeconds: number };

/** A statement is of the first kind that matches it. */
const KINDS: readonly (readonly [kind: string, statement: RegExp])[] = [
  ['INSERT of a block', /^insert into (mixed_)?block_rows\b/i],
  [
    'databases and tables: create, alter, drop',
    /^(create|alter|drop|rename|exchange|insert into migrations) /i,
  ],
  ['verdicts', /verdict|experiment|flag_debt|feature_days/i],
  ['accounting', /\bthe_table\b|\bb\.received\b|\bfrom accounting\b/i],
  ['other INSERTs', /^insert /i],
  ['blocks: take-overs, waiting for them', /\bfrom (blocks|counter_states|topic_epochs)\b|\bmarker\b/i],
  ['other SELECTs', /^(select|with) /i],
  ['other statements', /^/],
];
const DEAREST = 15;
const STATEMENT_LENGTH = 150;
/** Names that each world has for itself. */
const OWN_NAMES = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|test_(uncounted_)?[0-9a-f]{10,}';
/** Files below this are not listed. */
const FILE_SECONDS = 0.05;
const UNCOUNTED = 'test_uncounted_';

/**
 * For `PROFILE=1 make test`: where the CPU of the shared ClickHouse went, from its query_log. The rest is merges, HTTP and the
 * log itself.
 */
export async function renderProfile(
  { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password }: StackAddresses,
  { cpuSeconds, times }: { readonly cpuSeconds: number; readonly times: readonly FileTime[] },
): Promise<string> {
  const db = openClickHouse({ url, username, password, database: 'default', tls: undefined });
  try {
    await runStatement(db, 'system flush logs query_log');
    const readShares = (name: string): Promise<Share[]> =>
      readRows<Share>(
        db,
        `select
           ${name} as name,
           toUInt32(countIf(type != 'QueryStart')) as statements,
           sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1e6 as cpuSeconds
         from system.query_log
         group by name`,
      );
    const texts = await readShares(`replaceRegexpAll(normalizeQueryKeepNames(query), '${OWN_NAMES}', '*')`);
    const worlds = await readShares(
      `concat(
         extract(concat(query, ' ', current_database), '(?:${UNCOUNTED}|test_)[0-9a-f]{10}'),
         ' ',
         toString(toUnixTimestamp(event_time))
       )`,
    );
    const rest = cpuSeconds - texts.reduce((sum, share) => sum + share.cpuSeconds, 0);
    return [
      '      CPU  statements       each',
      ...linesOf(sumBy(texts, kindOf)),
      lineOf({
        name: 'no statement: merges, HTTP, the log of this profile',
        statements: 0,
        cpuSeconds: rest,
      }),
      '',
      ...linesOf(
        sumBy(worlds, (world) => fileOf(world, times)).filter((file) => file.cpuSeconds > FILE_SECONDS),
      ),
      '',
      ...linesOf(texts).slice(0, DEAREST),
    ].join('\n');
  } finally {
    await db.close();
  }
}

function kindOf(statement: string): string {
  return KINDS.find(([, pattern]) => pattern.test(statement))?.[0] ?? '';
}

/** The file that had the database of a world at this second. */
function fileOf(worldAndSecond: string, times: readonly FileTime[]): string {
  const [world = '', second] = worldAndSecond.split(' ');
  if (world.startsWith(UNCOUNTED)) return 'worlds that count nothing, which share a database';
  const owners = times.filter(({ databases }) => databases.includes(world));
  const owner = owners
    .toSorted((one, other) => one.endedAt - other.endedAt)
    .find(({ endedAt }) => endedAt >= Number(second));
  return owner?.file ?? 'no world, or a file that did not end';
}

function sumBy(shares: readonly Share[], nameOf: (name: string) => string): Share[] {
  const sums = new Map<string, Share>();
  for (const share of shares) {
    const name = nameOf(share.name);
    const { statements, cpuSeconds } = sums.get(name) ?? { statements: 0, cpuSeconds: 0 };
    sums.set(name, {
      name,
      statements: statements + share.statements,
      cpuSeconds: cpuSeconds + share.cpuSeconds,
    });
  }
  return [...sums.values()];
}

function linesOf(shares: readonly Share[]): string[] {
  return shares.toSorted((one, other) => other.cpuSeconds - one.cpuSeconds).map(lineOf);
}

function lineOf({ name, statements, cpuSeconds }: Share): string {
  const each = statements === 0 ? '' : `${((1000 * cpuSeconds) / statements).toFixed(1)} ms`;
  const text = name.replaceAll(/\s+/g, ' ').slice(0, STATEMENT_LENGTH);
  return `${cpuSeconds.toFixed(1).padStart(7)} s  ${String(statements).padStart(10)}  ${each.padStart(9)}  ${text}`;
}
