import { mkdir } from 'node:fs/promises';
import { backUpDatabase, createBlocks } from '#clickhouse';
import { openCommittedOffsets, readWatermarks } from '#kafka';
import { dumpDatabase } from '#postgres';
import { FlagmeterError } from '#runtime';
import type { Engines } from '../engines.ts';
import { type Manifest, dumpFileOf, writeManifest } from './manifest.ts';

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
 *   2. clickhouse  ClickHouse writes its part
 *   3. postgres    pg_dump writes its part
 *   4. manifest    from now on the folder is a backup
 */
export async function backUp(engines: Engines, options: BackupOptions): Promise<Manifest> {
  const { config, clickhouse } = engines;
  const { folder, disk, onProgress } = options;
  if (config.clickhouse.cluster !== '')
    throw new FlagmeterError('cluster', 'a cluster of ClickHouse cannot be backed up by this command');
  await mkdir(folder, { mode: 0o700 });
  const takenAt = new Date().toISOString();
  const { database } = config.clickhouse;
  const { counts } = config.kafka.topics;
  const epoch = await createBlocks(clickhouse).readEpoch(counts);
  const applications = await readApplicationOffsets(engines);
  const name = `${database}-${takenAt.replaceAll(':', '-')}`;
  onProgress(`ClickHouse writes ${name} to the disk ${disk}`);
  await backUpDatabase(clickhouse, { database, disk, name });
  onProgress('pg_dump writes postgres.dump');
  await dumpDatabase(config.postgres, dumpFileOf(folder));
  const manifest: Manifest = {
    ...{ format: 1, takenAt, disk, name, database, epoch, countsTopic: counts },
    applications,
  };
  await writeManifest(folder, manifest);
  return manifest;
}

async function readApplicationOffsets({ config, kafka, log }: Engines): Promise<Record<string, string>> {
  const { groupPrefix, topics } = config.kafka;
  const watermarks = await readWatermarks(kafka, topics.applications);
  const offsets = await openCommittedOffsets(kafka, {
    ...{ groupId: `${groupPrefix}-applications`, log },
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
