import { type ClickHouse, readRows } from '#clickhouse';
import type { Postgres } from '#postgres';
import { SAMPLE_TOPIC, blockCount } from '../plan/blocks.ts';
import { SAMPLE_PROJECTS } from '../shop/features.ts';

export type SampleStores = { readonly db: Postgres; readonly clickhouse: ClickHouse };

export type StoredSample = {
  /** Epoch milliseconds, in whole seconds. */
  readonly madeAt: number;
  /** False if the command that made it was interrupted. */
  readonly isComplete: boolean;
};

/**
 * The stored sample; undefined if there is none. The blocks are stored first and removed last, so they show it. They expire
 * before the sums of days; then the projects show it.
 */
export async function readSample({ db, clickhouse }: SampleStores): Promise<StoredSample | undefined> {
  const [row] = await readRows<{ epoch: number; blocks: string }>(
    clickhouse,
    `select epoch, count() as blocks
     from blocks
     where topic = {topic:String}
     group by epoch
     order by epoch desc
     limit 1`,
    { topic: SAMPLE_TOPIC },
  );
  const { rows: projects } = await db.query<{ created_at: Date }>(
    'select created_at from projects where id = any ($1)',
    [SAMPLE_PROJECTS.map(({ id }) => id)],
  );
  const areProjectsThere = projects.length === SAMPLE_PROJECTS.length;
  if (row === undefined) {
    const madeAt = projects[0]?.created_at.getTime();
    return areProjectsThere && madeAt !== undefined ? { madeAt, isComplete: true } : undefined;
  }
  const madeAt = row.epoch * 1000;
  const isComplete = Number(row.blocks) === blockCount(madeAt) && areProjectsThere;
  return { madeAt, isComplete };
}
