import path from 'node:path';
import { inheritedEnv } from '../../clock/inherited-env.ts';
import { type Engine, enginesDirectory, javaProgram, launchEngine } from '#tooling/stack';

export const keycloakArchives = path.join(enginesDirectory, 'keycloak', 'archives');
/** The server, with the settings that are fixed when it is built. */
export const keycloakHome = path.join(enginesDirectory, 'keycloak', 'keycloak-26.7.3');

export type KeycloakOptions = {
  readonly directory: string;
  readonly port: number;
  /** Of the first user of the realm master, `admin`. */
  readonly password: string;
};

/** As its script `kc.sh`, but with less memory. */
const jvmOptions = [
  '-Xmx512m',
  '-XX:MaxMetaspaceSize=256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  ...['java.util', 'java.util.concurrent', 'java.security', 'java.lang'].map(
    (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
  ),
  '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
  '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
  `-Dkc.home.dir=${keycloakHome}`,
  `-Djboss.server.config.dir=${path.join(keycloakHome, 'conf')}`,
] as const;

/** The arguments of Java for a command of Keycloak. */
export function keycloakCommand(...command: readonly string[]): string[] {
  const program = ['-cp', path.join(keycloakHome, 'lib/quarkus-run.jar')];
  return [...jvmOptions, ...program, 'io.quarkus.bootstrap.runner.QuarkusEntryPoint', ...command];
}

/** Keycloak with an empty database in memory. It starts within a minute, or several on a busy machine. */
export async function startKeycloak({ directory, port, password }: KeycloakOptions): Promise<Engine> {
  const address = `http://localhost:${port}`;
  return launchEngine({
    name: 'keycloak',
    title: 'Keycloak',
    address,
    directory,
    command: javaProgram,
    args: keycloakCommand(
      'start',
      '--optimized',
      '--http-enabled=true',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
      `--hostname=${address}`,
    ),
    options: {
      env: { ...inheritedEnv(), KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: password },
    },
    mark: `--http-port=${port}`,
    isReady: () => answers(`http://127.0.0.1:${port}/realms/master`),
    readyTimeoutMs: 15 * 60_000,
    stopSignal: 'SIGTERM',
  });
}

async function answers(url: string): Promise<boolean> {
  try {
    const { ok } = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(2000) });
    return ok;
  } catch {
    return false;
  }
}
