import {
  type ClickHouse,
  type ShardedAccess,
  countTables,
  firstReplicasOf,
  openClickHouse,
  readCurrentEpoch,
  restoreDatabase,
  serversOf,
  shardsOf,
} from '#core/clickhouse';
import { keepPruned } from '#fleet/catalogue';
import { dayOf } from '#base/schema';
import { type OperatorLock, openPostgres, restoreDump, withOperatorLock } from '#base/postgres';
import { type Config, FlagmeterError, type Log } from '#base/runtime';
import { setUp } from '../../setup/set-up.ts';
import type { DayRange } from '../day-changes.ts';
import { type Engines, failIfOnCluster, withEngines } from '../engines.ts';
import { LostBlocks, type Rebuild, rebuildDays } from '../rebuild-days.ts';
import { type Manifest, dumpFileOf, partOf, readManifest } from './manifest.ts';
import { type Settled, settlePostgres } from './settle-postgres.ts';
import { dropIntents, failIfWorkersRun, rewindApplications } from './fit-offsets.ts';

/** The engines that a backup has data of. */
export const BACKED_UP = ['clickhouse', 'postgres'] as const;
type BackedUp = (typeof BACKED_UP)[number];

export type RestoreOptions = {
  readonly folder: string;
  /** The engines that were lost. */
  readonly engines: readonly BackedUp[];
  readonly onProgress: (text: string) => void;
};

export type Restored = Pick<Manifest, 'takenAt'> & {
  /** Undefined if there was nothing to count: ClickHouse was not lost, or the topic is new. */
  readonly rebuild: Rebuild | undefined;
  /** Undefined if Postgres was not lost. */
  readonly settled: Settled | undefined;
};

/**
 * Restores a backup into empty engines, and counts from Kafka again what came after it. The order of effects:
 *
 *   1. stores   ClickHouse, then Postgres, then the migrations of this version; sessions and schedules that have passed end
 *      in Postgres, and copies of configurations that Postgres has deleted since the backup stay in ClickHouse
 *   2. offsets  Kafka's committed offsets fit the stores: applications from the backup on, counts without an intent
 *   3. days     rebuild the days since the backup from Kafka, with the blocks that the backup does not have
 *
 * If step 3 fails, `flagmeter replay` continues.
 */
export async function restore(config: Config, log: Log, options: RestoreOptions): Promise<Restored> {
  const manifest = await readManifest(options.folder);
  failUnlessFor(config, manifest);
  return withOperatorLock(config.postgres, async (lock) => {
    await restoreStores(config, log, { manifest, options });
    await setUp(config, log);
    const isLost = (engine: BackedUp): boolean => options.engines.includes(engine);
    const settled = isLost('postgres') ? await settlePostgres(config, log, manifest) : undefined;
    const rebuild = await withEngines(config, log, async (engines) => {
      if (isLost('clickhouse'))
        for (const clickhouse of engines.shards.all) await keepPruned({ db: engines.db, clickhouse });
      const { counts } = config.kafka.topics;
      if ((await readCurrentEpoch(engines.shards, counts)) !== manifest.epoch) return undefined;
      await Promise.all([
        isLost('clickhouse') ? dropIntents(engines) : undefined,
        isLost('postgres') ? rewindApplications(engines, manifest) : undefined,
      ]);
      if (!isLost('clickhouse')) return undefined;
      return rebuildSince(engines, { manifest, options, lock });
    });
    return { takenAt: manifest.takenAt, rebuild, settled };
  });
}

function failUnlessFor(config: Config, { database, shards, countsTopic }: Manifest): void {
  failIfOnCluster(config);
  const { clickhouse, kafka } = config;
  const named = shardsOf(clickhouse).length;
  if (named !== shards) {
    const message = `the backup is of ${shards} shards of ClickHouse, and CLICKHOUSE_URL names ${named}: use as many`;
    throw new FlagmeterError('backup', message);
  }
  if (clickhouse.database === database && kafka.topics.counts === countsTopic) return;
  const message = `the backup is of CLICKHOUSE_DATABASE=${database} and the topic ${countsTopic}: use the same names`;
  throw new FlagmeterError('backup', message);
}

type Restoring = { readonly manifest: Manifest; readonly options: RestoreOptions };

async function restoreStores(config: Config, log: Log, { manifest, options }: Restoring): Promise<void> {
  const { folder, engines, onProgress } = options;
  await failIfWorkersRun(config, log);
  const tables = {
    clickhouse: await countTablesOfServers(config),
    postgres: await countTablesOfPostgres(config, log),
  };
  const full = engines.find((engine) => tables[engine] > 0);
  if (full !== undefined) {
    const message = `nothing was changed: the database must be empty, but ${full} has ${tables[full]} tables`;
    throw new FlagmeterError('not-empty', message);
  }
  if (engines.includes('clickhouse'))
    for (const [number, access] of shardsOf(firstReplicasOf(config.clickhouse)).entries()) {
      const name = partOf(manifest, number);
      onProgress(`ClickHouse reads ${name} from the disk ${manifest.disk}`);
      await onServer(access, (server) =>
        restoreDatabase(server, { database: access.database, disk: manifest.disk, name }),
      );
    }
  if (!engines.includes('postgres')) return;
  onProgress('pg_restore reads postgres.dump');
  await restoreDump(config.postgresOwner, dumpFileOf(folder));
}

/** The database of the server may not exist yet. */
async function onServer<T>(
  access: ShardedAccess<Config['clickhouse']>,
  act: (server: ClickHouse) => Promise<T>,
): Promise<T> {
  const server = openClickHouse({ ...access, shard: undefined, database: 'default' });
  try {
    return await act(server);
  } finally {
    await server.close();
  }
}

/** On all replicas, because one that still has the tables would give its rows to the restored one. */
async function countTablesOfServers({ clickhouse }: Config): Promise<number> {
  let tables = 0;
  for (const access of serversOf(clickhouse))
    tables += await onServer(access, (server) => countTables(server, access.database));
  return tables;
}

async function countTablesOfPostgres(config: Config, log: Log): Promise<number> {
  const db = openPostgres({ ...config.postgres, log });
  try {
    const { rows } = await db.query<{ tables: string }>(
      `select count(*) as tables
       from pg_tables
       where schemaname = 'public'`,
    );
    return Number(rows[0]?.tables ?? 0);
  } finally {
    await db.end();
  }
}

type Rebuilding = Restoring & { readonly lock: OperatorLock };

/**
 * From the day before the backup, because its last hours may have been counted while tables were read. Blocks that the backup
 * does not have may also add to earlier days.
 */
async function rebuildSince(engines: Engines, { manifest, options, lock }: Rebuilding): Promise<Rebuild> {
  const { onProgress } = options;
  const rebuild = (days: DayRange): Promise<Rebuild> =>
    rebuildDays(engines, { ...days, allowIncomplete: false, apply: true, lock, onProgress });
  try {
    return await rebuild({ from: dayOf(Date.parse(manifest.takenAt)) - 1, to: dayOf(Date.now()) + 1 });
  } catch (error) {
    if (!(error instanceof LostBlocks)) throw error;
    return await rebuild(error.days);
  }
}
