import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, runProgram } from '../processes/programs.ts';
import { StackError } from '../stack-error.ts';
import { expectHashes, parseHashes } from './hashes.ts';
import { DOWNLOAD_TIMEOUT_MS } from './install-once.ts';

/**
 * Copies the files that `pom.xml` of a folder names from Maven Central into `jars`. Maven has no lock file, so their hashes are
 * compared with the folder's `jars.sha256`, which also names their places for machines without Maven.
 */
export async function downloadJars(manifest: string, jars: string): Promise<void> {
  await rm(jars, { recursive: true, force: true });
  const list = path.join(manifest, 'jars.sha256');
  if ((await findProgram('mvn')) === undefined) await downloadListed(list, jars);
  else await copyWithMaven(path.join(manifest, 'pom.xml'), jars);
  await expectHashes(jars, list);
}

async function copyWithMaven(pom: string, jars: string): Promise<void> {
  await runProgram('mvn', {
    args: ['-B', '-C', '-ntp', '-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
}

const CENTRAL = 'https://repo1.maven.org/maven2';
const AT_ONCE = 4;

/** Downloads the files of a list into a folder. MAVEN_REPOSITORY_URL names a mirror. */
export async function downloadListed(
  list: string,
  folder: string,
  repository = process.env['MAVEN_REPOSITORY_URL'] ?? CENTRAL,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const waiting = [...parseHashes(await readFile(list, 'utf8')).keys()].values();
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (const place of waiting)
      await download(`${repository.replace(/\/+$/, '')}/${place}`, path.join(folder, path.basename(place)));
  });
  await Promise.all(lanes);
}

async function download(url: string, file: string): Promise<void> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`the answer is ${answer.status}`);
    await writeFile(file, new Uint8Array(await answer.arrayBuffer()));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StackError(
      'not-installed',
      `${url} could not be downloaded: ${reason}. MAVEN_REPOSITORY_URL names another repository, or install maven.`,
      { cause: error },
    );
  }
}
