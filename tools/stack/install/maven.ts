import { rm } from 'node:fs/promises';
import { findProgram, runProgram } from '../processes/programs.ts';
import { expectHashes } from './hashes.ts';
import { DOWNLOAD_TIMEOUT_MS, source } from './install-once.ts';
import { missing } from './missing-programs.ts';

/**
 * Copies the files that `pom.xml` of a folder of `manifests` names from Maven Central into `jars`. Maven has no lock file, so their hashes are
 * compared with the folder's `jars.sha256`.
 */
export async function downloadJars(folder: string, jars: string): Promise<void> {
  if ((await findProgram('mvn')) === undefined) throw missing('mvn');
  await rm(jars, { recursive: true, force: true });
  const pom = source(`manifests/${folder}/pom.xml`);
  await runProgram('mvn', {
    args: ['-B', '-C', '-ntp', '-q', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`],
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
  });
  await expectHashes(jars, source(`manifests/${folder}/jars.sha256`));
}
