import {
  type ClickHouse,
  type DiskTrouble,
  type ShardedAccess,
  checkEveryReplica,
  checkShard,
  firstReplicasOf,
  isNotSetUp,
  openClickHouse,
  readRetention,
  readRows,
  shardsOf,
  whyNoBackup,
} from '#core/clickhouse';
import { type Config, FlagmeterError, sentenceOf } from '#base/runtime';
import { migrationNames } from '../../setup/tables.ts';
import { type Endpoint, certificateCheck } from '../checks/servers/certificate.ts';
import { clockCheck } from '../checks/servers/clock.ts';
import { judgeMigrations } from '../checks/servers/migrations.ts';
import { examineMirror } from '../checks/mirror.ts';
import { examineReceipts } from '../checks/receipts.ts';
import { judgeTimeZone } from '../checks/servers/time-zone.ts';
import { judgeVersion } from '../checks/servers/version.ts';
import type { Installation } from '../installation.ts';
import { type Check, type Examination, type Judgement, fail, ok } from '../finding.ts';
import { examineDisk, examineRetention, examineVerdicts, examineWindows } from './clickhouse-tables.ts';

const READ_WITHIN_MS = 8000;

/** One server, as part of its shard. */
export type ClickHouseServer = ShardedAccess<Config['clickhouse']>;

/** A query that takes too long is ended by the server as well. */
export function clickHouseExamination(
  { config, now, backupDisk }: Installation,
  clickhouse: ClickHouseServer,
): Examination {
  // Its shard is a separate check.
  const access = { ...clickhouse, shard: undefined, readDeadlineMs: READ_WITHIN_MS };
  // Our own database may not exist yet.
  const server = openClickHouse({ ...access, database: 'default' });
  const db = openClickHouse(access);
  // Once, because ClickHouse parses the definitions of all tables and views for it.
  let tables: ReturnType<typeof readRetention> | undefined;
  const readTables = () => (tables ??= readRetention(db));
  return {
    engine: 'ClickHouse',
    checks: [
      {
        name: 'ClickHouse',
        run: async () => judgeVersion('ClickHouse', await readText(server, 'select version() as text')),
      },
      clockCheck('ClickHouse', async () => Number(await readText(server, TIME)), now),
      ...(clickhouse.shard === undefined
        ? []
        : [{ name: 'ClickHouse shard', run: () => examineShard(db, clickhouse, config) }]),
      { name: 'ClickHouse time zone', run: () => examineTimeZone(db) },
      { name: 'ClickHouse migrations', run: () => examineMigrations(db) },
      { name: 'ClickHouse deduplication', run: () => examineWindows(db) },
      { name: 'ClickHouse receipts', run: () => examineReceipts(db, config.kafka.topics.counts) },
      { name: 'ClickHouse retention', run: async () => examineRetention(await readTables(), config) },
      { name: 'ClickHouse verdicts', run: () => examineVerdicts(db) },
      { name: 'ClickHouse disk', run: async () => examineDisk(db, await readTables(), config) },
      ...mirrorCheck(db, config),
      ...(backupDisk === undefined || !isFirstOfShard(clickhouse, config)
        ? []
        : [{ name: 'ClickHouse backup disk', run: () => examineBackupDisk(server, backupDisk) }]),
      ...(clickhouse.tls === undefined
        ? []
        : [
            certificateCheck('ClickHouse', { endpoints: [endpointOf(clickhouse)], tls: clickhouse.tls }, now),
          ]),
    ],
    close: async () => {
      await Promise.all([server.close(), db.close()]);
    },
  };
}

function mirrorCheck(db: ClickHouse, { unleash }: Config): Check[] {
  return unleash === undefined ? [] : [{ name: 'mirror of Unleash', run: () => examineMirror(db, unleash) }];
}

/** Only this replica writes the part of its shard. */
function isFirstOfShard({ url }: ClickHouseServer, { clickhouse }: Config): boolean {
  return shardsOf(firstReplicasOf(clickhouse)).some((first) => first.url === url);
}

const DISK_TROUBLES: Readonly<Record<DiskTrouble, (disk: string) => Judgement>> = {
  missing: (disk) =>
    fail(`There is no disk ${disk}.`, 'Define it in storage_configuration of the server, and allow it.'),
  'local names': (disk) =>
    fail(`The disk ${disk} keeps the names of its files on the server.`, 'Use the type s3_plain.'),
  'not allowed': (disk) =>
    fail(
      `The server does not allow backups on the disk ${disk}.`,
      `Add <backups><allowed_disk>${disk}</allowed_disk></backups> to its configuration.`,
    ),
};

async function examineBackupDisk(server: ClickHouse, disk: string): Promise<Judgement> {
  const trouble = await whyNoBackup(server, disk);
  return trouble === undefined
    ? ok(`The server allows backups on the disk ${disk}.`)
    : DISK_TROUBLES[trouble](disk);
}

function endpointOf({ url }: ClickHouseServer): Endpoint {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) };
}

async function examineShard(
  db: ClickHouse,
  { url, shard = { number: 0, of: 1 } }: ClickHouseServer,
  { clickhouse }: Config,
): Promise<Judgement> {
  const { host } = new URL(url);
  const shards = shardsOf(clickhouse).length;
  try {
    await checkShard(db, shard, host);
    await checkEveryReplica(db, { ...clickhouse, shards, host });
  } catch (error) {
    if (!(error instanceof FlagmeterError)) throw error;
    return fail(sentenceOf(error.message), 'Until then no process of flagmeter uses this server.');
  }
  return ok(`It is shard ${shard.number + 1} of ${shards}, and its cluster has each shard once.`);
}

const TIME = 'select toString(toUnixTimestamp64Milli(now64(3))) as text';

async function readText(db: ClickHouse, query: string): Promise<string> {
  return (await readRows<{ text: string }>(db, query))[0]?.text ?? '';
}

async function examineTimeZone(db: ClickHouse): Promise<Judgement> {
  const dependent = await readRows<{ name: string }>(
    db,
    `select concat(table, '.', name) as name
     from system.columns
     where database = currentDatabase()
       and match(type, 'DateTime(64[(][0-9][)])?([^0-9(]|$)')
     order by name`,
  );
  return judgeTimeZone(
    await readText(db, 'select serverTimezone() as text'),
    dependent.map(({ name }) => name),
  );
}

async function examineMigrations(db: ClickHouse): Promise<Judgement> {
  const applied = await readRows<{ name: string }>(db, 'select name from migrations').catch(
    (error: unknown) => {
      if (isNotSetUp(error)) return [];
      throw error;
    },
  );
  return judgeMigrations(
    await migrationNames('clickhouse'),
    applied.map(({ name }) => name.replace(/\.sql$/, '')),
  );
}
