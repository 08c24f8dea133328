import { type ClickHouse, type Shards, readRows } from '#core/clickhouse';
import { SAMPLE_TOPIC } from '#core/counting';
import type { Postgres } from '#base/postgres';
import { SAMPLE_PARTITION } from '../plan/usage/blocks.ts';
import { SAMPLE_FEATURES, SAMPLE_MARK, SAMPLE_PROJECTS } from '../shop/features.ts';

export type SampleStores = {
  readonly db: Postgres;
  readonly shards: Pick<Shards, 'all' | 'of'>;
  /** Reads all shards. */
  readonly clickhouse: ClickHouse;
};

export type StoredSample = {
  /** Epoch milliseconds, in whole seconds. */
  readonly madeAt: number;
  /** False if the command that made or removed it was interrupted. */
  readonly isComplete: boolean;
};

/**
 * The stored sample; undefined if there is none. Its projects show it, because they are stored first and removed last. Its
 * features show that it is complete, because they are stored last and removed first. If an older Postgres was restored, only the blocks
 * in ClickHouse show it: it can be completed, or removed.
 */
export async function readSample({
  db,
  shards,
}: Pick<SampleStores, 'db' | 'shards'>): Promise<StoredSample | undefined> {
  const { rows } = await db.query<{ created_at: Date; features: number }>(
    `select
       p.created_at,
       (select count(*)::int from features where name = any ($2) and project = any ($1)) as features
     from projects as p
     where id = any ($1)
       and description = $3
     limit 1`,
    [SAMPLE_PROJECTS.map(({ id }) => id), SAMPLE_FEATURES.map(({ name }) => name), SAMPLE_MARK],
  );
  const [row] = rows;
  if (row === undefined) return readLost(shards);
  return { madeAt: row.created_at.getTime(), isComplete: row.features === SAMPLE_FEATURES.length };
}

/** The epoch of its blocks is the time, in seconds. */
async function readLost(shards: SampleStores['shards']): Promise<StoredSample | undefined> {
  const [row] = await readRows<{ epoch: number; blocks: string }>(
    shards.of(SAMPLE_PARTITION),
    'select max(epoch) as epoch, count() as blocks from blocks where topic = {topic:String}',
    { topic: SAMPLE_TOPIC },
  );
  return row === undefined || row.blocks === '0'
    ? undefined
    : { madeAt: row.epoch * 1000, isComplete: false };
}
