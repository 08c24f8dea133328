import type { ClickHouse } from '#clickhouse';
import type { Postgres } from '#postgres';
import { copiedLongAgo, copyAppended } from './append-only.ts';
import { type StoredConfiguration, configurationOf } from './configuration.ts';
import { textOfTime } from './rows.ts';

const COPIES = 'past_configuration_copies';

type PastConfiguration = StoredConfiguration & {
  readonly id: string;
  readonly feature_name: string;
  readonly environment: string;
  readonly valid_from: string;
  readonly valid_to: string;
  readonly size_bytes: number;
};

/** Copies the configurations that were replaced or deleted. */
export function syncPastConfigurations(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  return copyAppended<PastConfiguration>(db, clickhouse, {
    table: 'past_configurations',
    copies: COPIES,
    columns: `
      id, feature_name, environment, enabled, strategies, variants,
      ${textOfTime('valid_from')} as valid_from,
      ${textOfTime('valid_to')} as valid_to,
      octet_length(strategies::text) + octet_length(variants::text) as size_bytes`,
    // ClickHouse deletes older ones, so they would be copied again and again.
    where: `valid_to > now() - interval '25 months'`,
    toCopy: ({ id, feature_name, environment, enabled, valid_from, valid_to, ...stored }) => ({
      ...{ id, feature_name, environment, enabled, valid_from, valid_to },
      ...configurationOf({ enabled, ...stored }),
    }),
  });
}

const ROWS_PER_DELETE = 10_000;

/** Deletes rows from Postgres after 30 days, if each shard has a copy. */
export async function prunePastConfigurations(
  db: Postgres,
  shards: readonly ClickHouse[],
  ending: AbortSignal,
): Promise<void> {
  const ids = await Promise.all(shards.map((shard) => copiedLongAgo(shard, COPIES)));
  const copied = ids.map(BigInt).reduce((least, id) => (id < least ? id : least));
  for (let deleted = ROWS_PER_DELETE; deleted === ROWS_PER_DELETE && !ending.aborted;) {
    const { rowCount } = await db.query(
      `delete from past_configurations
       where id in (
         select id
         from past_configurations
         where id <= $1
           and valid_to < now() - interval '30 days'
         order by id
         limit ${ROWS_PER_DELETE}
       )`,
      [copied.toString()],
    );
    deleted = rowCount ?? 0;
  }
}
