import { rm } from 'node:fs/promises';
import path from 'node:path';
import { downloadKeycloak } from '../install/downloads.ts';
import { withLock } from '../install/lock.ts';
import { missing } from '../install/missing-programs.ts';
import { type Report, announced, once, source } from '../install/prepare.ts';
import { findProgram, runProgram } from '../install/programs.ts';
import { stampOf } from '../install/stamp.ts';
import { enginesDirectory } from '../layout.ts';
import { keycloakArchives, keycloakCommand, keycloakHome } from './keycloak.ts';

const buildTimeoutMs = 30 * 60_000;

/** Installs Keycloak, a real identity provider. Only a test of the night needs it, so `prepareEngines` leaves it out. */
export async function prepareKeycloak(report: Report = console.log): Promise<void> {
  const stamp = stampOf(path.join(keycloakArchives, '.prepared'), {
    files: [source('keycloak/pom.xml')],
    texts: [],
  });
  await withLock(path.join(enginesDirectory, 'keycloak.lock'), () =>
    once(stamp, async () => {
      if ((await findProgram('mvn')) === undefined) throw missing('mvn');
      await announced(report, 'Keycloak from Maven Central (177 MB)', install);
    }),
  );
}

async function install(): Promise<void> {
  await downloadKeycloak();
  await rm(keycloakHome, { recursive: true, force: true });
  const archive = path.join(
    keycloakArchives,
    `${path.basename(keycloakHome).replace('keycloak', 'keycloak-quarkus-dist')}.zip`,
  );
  await runProgram('python3', {
    args: ['-m', 'zipfile', '-e', archive, path.dirname(keycloakHome)],
    timeoutMs: buildTimeoutMs,
  });
  await runProgram('java', { args: keycloakCommand('build', '--db=dev-mem'), timeoutMs: buildTimeoutMs });
}
