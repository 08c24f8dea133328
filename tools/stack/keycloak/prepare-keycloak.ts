import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type Report, downloadJars, installOnceLocked, javaProgram, runProgram } from '#tooling/stack';
import { manifest } from '../manifests.ts';
import { keycloakArchives, keycloakCommand, keycloakHome } from './keycloak.ts';

const buildTimeoutMs = 30 * 60_000;

/** Installs Keycloak, a real identity provider. Only a test of the night needs it, so `prepareEngines` leaves it out. */
export async function prepareKeycloak(report: Report = console.log): Promise<void> {
  const keycloak = {
    what: 'Keycloak from Maven Central (177 MB)',
    mark: path.join(keycloakArchives, '.prepared'),
    files: [manifest('keycloak/pom.xml')],
    install,
  };
  await installOnceLocked('keycloak', keycloak, report);
}

async function install(): Promise<void> {
  await downloadJars(manifest('keycloak'), keycloakArchives);
  await rm(keycloakHome, { recursive: true, force: true });
  const archive = path.join(
    keycloakArchives,
    `${path.basename(keycloakHome).replace('keycloak', 'keycloak-quarkus-dist')}.zip`,
  );
  await runProgram('python3', {
    args: ['-m', 'zipfile', '-e', archive, path.dirname(keycloakHome)],
    timeoutMs: buildTimeoutMs,
  });
  await runProgram(javaProgram, {
    args: keycloakCommand('build', '--db=dev-mem'),
    timeoutMs: buildTimeoutMs,
  });
}
