import { COPIED_TABLES, countDifferences } from '#fleet/catalogue';
import { openShards } from '#core/clickhouse';
import { createHistoryImports, lostImports, readCountedImports } from '#unleash/history';
import { openPostgres } from '#base/postgres';
import { type Config, type Log, amountOf, explainTrouble, withDeadline } from '#base/runtime';
import { type Finding, type Judgement, notMade, ok, warn } from '../finding.ts';

const DEADLINE_MS = 60_000;

/** Whether Postgres has what ClickHouse has copied or counted of it. An older Postgres may have been restored, in any way. */
export async function examineCopies(config: Config, log: Log): Promise<Finding> {
  const db = openPostgres({ ...config.postgres, maxConnections: 1, log });
  const shards = openShards(config.clickhouse);
  try {
    const examined = examine({ db, shards });
    const judgement = await withDeadline(examined, DEADLINE_MS, `no answer, timeout after ${DEADLINE_MS} ms`);
    return { check: 'copies', ...judgement };
  } catch (error) {
    return { check: 'copies', ...notMade(explainTrouble('ClickHouse', error)) };
  } finally {
    await Promise.allSettled([db.end(), shards.close()]);
  }
}

type Stores = {
  readonly db: ReturnType<typeof openPostgres>;
  readonly shards: ReturnType<typeof openShards>;
};

async function examine({ db, shards }: Stores): Promise<Judgement> {
  const lost = new Map<string, number>();
  let missing = 0;
  for (const clickhouse of shards.all)
    for (const table of COPIED_TABLES) {
      const differences = await countDifferences({ db, clickhouse }, table);
      missing = Math.max(missing, differences.missing);
      if (differences.lost > 0) lost.set(table.name, Math.max(lost.get(table.name) ?? 0, differences.lost));
    }
  const imports = lostImports(await createHistoryImports(db).list(), await readCountedImports(shards.all));
  return judgeCopies({ lost, missing, imports: imports.map(({ number }) => number) });
}

type Found = {
  /** Rows by table. */
  readonly lost: ReadonlyMap<string, number>;
  readonly missing: number;
  /** Numbers of imports that only ClickHouse has. */
  readonly imports: readonly number[];
};

export function judgeCopies({ lost, missing, imports }: Found): Judgement {
  const names = [...lost].map(([name, rows]) => `${amountOf(rows, 'row')} of the ${name}`);
  const things = [...names, ...imports.map((number) => `import ${number} of Unleash's history`)];
  if (things.length === 0)
    return ok(
      missing === 0
        ? 'Postgres has what ClickHouse has copied, and ClickHouse has all of it.'
        : `Postgres has what ClickHouse has copied. Up to ${amountOf(missing, 'row')} of a table will be copied.`,
    );
  const advice = [
    ...(names.length > 0 ? ['Run a worker, which removes these copies within an hour.'] : []),
    ...(imports.length > 0 ? ['Run flagmeter import-unleash --yes, which records these imports.'] : []),
    'Tokens, sessions and roles that were revoked since then are valid again: look at "An older Postgres" in docs/operate/backup.md.',
  ];
  return warn(
    `Postgres has lost what ClickHouse has: ${things.join(', ')}. An older state of it was restored, or a standby that lagged took over.`,
    advice.join(' '),
  );
}
