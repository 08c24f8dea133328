import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { type StoredAccounting, findDifferences, readStoredAccounting, sumTallies } from '#core/accounting';
import { type ClickHouse, caughtUp, readRows, shardsOf } from '#core/clickhouse';
import { eventually } from '../../../eventually.ts';
import type { World } from '../../../world.ts';
import type { OwnCluster } from '../own-cluster.ts';

/**
 * A replica that loses Keeper while it commits a part keeps the part, and after five minutes drops it if Keeper does not know it.
 * Until then this replica may show a block twice.
 */
const PARTS_CHECKED_MS = 330_000;

/** While no one counts: the accounting of each replica agrees, and all replicas of a shard have the same numbers. */
export async function expectSameAccounting(cluster: OwnCluster, world: World): Promise<void> {
  await eventually(
    async () => {
      const stored = await onEachReplica(cluster, world, (db) => readAccounting(db, world));
      expect(stored).to.have.length(cluster.replicas.length);
      const totals = stored.map(({ shard, result: { partitions } }) => ({
        shard,
        total: sumTallies(withoutLog(partitions)),
      }));
      return { differences: stored.flatMap(({ result }) => differencesOf(result)), totals };
    },
    ({ differences, totals }) =>
      differences.length === 0 &&
      totals.every(({ shard, total }) =>
        isDeepStrictEqual(total, totals.find((first) => first.shard === shard)?.total),
      ),
    PARTS_CHECKED_MS,
  );
}

/** The database with the tables of counts, on each server. */
export function tablesOf({ config }: World): string {
  return shardsOf(config.clickhouse)[0].database;
}

type OfReplica<T> = { readonly shard: string; readonly result: T };

async function onEachReplica<T>(
  cluster: OwnCluster,
  world: World,
  act: (db: ClickHouse) => Promise<T>,
): Promise<OfReplica<T>[]> {
  const results: OfReplica<T>[] = [];
  for (const replica of cluster.replicas) {
    const db = cluster.connect(replica, tablesOf(world));
    try {
      results.push({ shard: replica.shard, result: await act(db) });
    } finally {
      await db.close();
    }
  }
  return results;
}

async function readAccounting(db: ClickHouse, { config }: World): Promise<StoredAccounting> {
  await untilCaughtUp(db);
  return readStoredAccounting(db, config.kafka.topics.counts);
}

/**
 * Waits until a replica has all rows of these tables, by default of all that blocks fill. It may have just lost its session with
 * ZooKeeper.
 */
export async function untilCaughtUp(db: ClickHouse, tables?: readonly string[]): Promise<void> {
  const names = tables ?? (await readFilledByBlocks(db));
  await eventually(
    () =>
      caughtUp(db, names).then(
        () => 'caught up',
        (error: unknown) => error,
      ),
    (outcome) => outcome === 'caught up',
  );
}

async function readFilledByBlocks(db: ClickHouse): Promise<string[]> {
  const tables = await readRows<{ table: string }>(
    db,
    `select table
     from system.replicas
     where database = currentDatabase()
       and table not like '%\\_copies'
       and not startsWith(table, 'relay')`,
  );
  expect(tables).to.have.length.above(5);
  return tables.map(({ table }) => table);
}

function differencesOf({ partitions, ...stored }: StoredAccounting): unknown[] {
  return findDifferences({ ...stored, partitions: withoutLog(partitions) });
}

/** The log is compared elsewhere; a replica does not know it. */
function withoutLog(partitions: StoredAccounting['partitions']) {
  return partitions.map((partition) => ({ ...partition, inFlight: 0n }));
}
