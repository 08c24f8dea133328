import { type ClickHouse, readRows } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import { type StoredConfiguration, configurationOf } from './configuration.ts';
import type { Stores } from '../compare.ts';
import type { CopiedTable } from '../copied-table.ts';
import { IS_NOT_KEPT, keepCopies, keepDeleted, syncOf } from '../copy-table.ts';
import { textOfTime } from '../rows.ts';

type PastConfiguration = StoredConfiguration & {
  readonly id: string;
  readonly feature_name: string;
  readonly environment: string;
  readonly valid_from: string;
  readonly valid_to: string;
  readonly size_bytes: number;
};

/** The configurations that were replaced or deleted. Postgres deletes old ones, which only ClickHouse keeps. */
export const PAST_CONFIGURATIONS: CopiedTable<PastConfiguration> = {
  name: 'past configurations',
  table: 'past_configurations',
  copies: 'past_configuration_copies',
  identity: { id: 'bigint' },
  appended: { time: 'valid_to', where: 'true', having: IS_NOT_KEPT },
  columns: `
    t.id, t.feature_name, t.environment, t.enabled, t.strategies, t.variants,
    ${textOfTime('t.valid_from')} as valid_from,
    ${textOfTime('t.valid_to')} as valid_to,
    octet_length(t.strategies::text) + octet_length(t.variants::text) as size_bytes`,
  toCopy: ({ id, feature_name, environment, enabled, valid_from, valid_to, ...stored }) => ({
    id,
    feature_name,
    environment,
    enabled,
    valid_from,
    valid_to,
    ...configurationOf({ enabled, ...stored }),
  }),
};

export const syncPastConfigurations = syncOf(PAST_CONFIGURATIONS);

/** After only ClickHouse was restored: keeps the past configurations that Postgres has deleted since the backup. */
export function keepPruned(stores: Stores): Promise<void> {
  return keepDeleted(stores, PAST_CONFIGURATIONS);
}

const ROWS_AT_ONCE = 10_000;

type Old = { readonly id: string; readonly revision: string };

/**
 * Deletes rows from Postgres after 30 days, if each shard has exactly these rows, whatever their ids. The order of effects:
 *
 *   1. ClickHouse  the copies become the only ones; otherwise a sync would remove them
 *   2. Postgres    the rows are deleted
 */
export async function prunePastConfigurations(
  db: Postgres,
  shards: readonly ClickHouse[],
  ending: AbortSignal,
): Promise<void> {
  for (let last = '0'; !ending.aborted;) {
    const { rows } = await db.query<Old>(OLD, [last]);
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
    let revisions = rows.map(({ revision }) => revision);
    for (const shard of shards) revisions = await copiedOf(shard, revisions);
    if (revisions.length === 0) continue;
    for (const shard of shards) await keepCopies(shard, PAST_CONFIGURATIONS, revisions);
    await db.query(DELETE, [rows.map(({ id }) => id), revisions]);
  }
}

const OLD = `
  select id::text as id, revision::text as revision
  from past_configurations
  where id > $1
    and valid_to < now() - interval '30 days'
  order by past_configurations.id
  limit ${ROWS_AT_ONCE}`;

const DELETE = `
  delete from past_configurations
  where id = any ($1)
    and revision = any ($2)`;

/** Those of the rows that a shard has. */
async function copiedOf(shard: ClickHouse, revisions: readonly string[]): Promise<string[]> {
  const rows = await readRows<{ revision: string }>(
    shard,
    `select toString(revision) as revision
     from past_configuration_copies as c final
     where c.revision in {revisions:Array(UUID)}`,
    { revisions },
  );
  return rows.map(({ revision }) => revision);
}
