import { rm } from 'node:fs/promises';
import { backUpDatabase, caughtUp, readCurrentEpoch, shardsOf } from '#core/clickhouse';
import { openCommittedOffsets, readWatermarks } from '#core/kafka';
import { dumpDatabase } from '#base/postgres';
import { type Engines, failIfOnCluster } from '../engines.ts';
import { createFolder } from './create-folder.ts';
import { type Manifest, dumpFileOf, partOf, writeManifest } from './manifest.ts';

export type BackupOptions = {
  /** A folder that does not exist yet. It gets the dump of Postgres and the manifest. */
  readonly folder: string;
  readonly disk: string;
  readonly onProgress: (text: string) => void;
};

const KAFKA_DEADLINE_MS = 30_000;

/**
 * Backs up ClickHouse and Postgres while everything runs, under the lock of operators. Tables are read one after the other, so
 * the latest blocks may be in some tables only. A restore rebuilds the last days from Kafka anyway. The order of effects:
 *
 *   1. positions   read the offsets of the applications topic; registrations after them are repeated by a restore
 *   2. clickhouse  the first replica of each shard of ClickHouse fetches what it lacks, and writes its part
 *   3. postgres    pg_dump writes its part
 *   4. manifest    from now on the folder is a backup
 *
 * If one of them fails, the folder is removed again.
 */
export async function backUp(engines: Engines, options: BackupOptions): Promise<Manifest> {
  failIfOnCluster(engines.config);
  await createFolder(options.folder);
  try {
    return await backUpInto(engines, options);
  } catch (error) {
    await rm(options.folder, { recursive: true });
    throw error;
  }
}

async function backUpInto(engines: Engines, { folder, disk, onProgress }: BackupOptions): Promise<Manifest> {
  const { config, shards } = engines;
  const takenAt = new Date().toISOString();
  const { database } = config.clickhouse;
  const { counts } = config.kafka.topics;
  const name = `${database}-${takenAt.replaceAll(':', '-')}`;
  const manifest: Manifest = {
    format: 1,
    takenAt,
    disk,
    name,
    database,
    shards: shards.all.length,
    countsTopic: counts,
    epoch: await readCurrentEpoch(shards, counts),
    applications: await readApplicationOffsets(engines),
  };
  for (const [number, access] of shardsOf(config.clickhouse).entries()) {
    const part = partOf(manifest, number);
    onProgress(`ClickHouse writes ${part} to the disk ${disk}`);
    const server = await caughtUp(shards.all[number] ?? shards.all[0]);
    await backUpDatabase(server, { database: access.database, disk, name: part });
  }
  onProgress('pg_dump writes postgres.dump');
  await dumpDatabase(config.postgres, dumpFileOf(folder));
  await writeManifest(folder, manifest);
  return manifest;
}

async function readApplicationOffsets({ config, kafka, log }: Engines): Promise<Record<string, string>> {
  const { groupPrefix, topics } = config.kafka;
  const watermarks = await readWatermarks(kafka, topics.applications);
  const offsets = await openCommittedOffsets(kafka, {
    groupId: `${groupPrefix}-applications`,
    log,
    signal: AbortSignal.timeout(KAFKA_DEADLINE_MS),
  });
  try {
    const found: Record<string, string> = {};
    for (const [partition, { low }] of watermarks)
      found[partition] = String((await offsets.read(topics.applications, partition))?.offset ?? low);
    return found;
  } finally {
    await offsets.close();
  }
}
