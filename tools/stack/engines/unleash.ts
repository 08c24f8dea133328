import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { inheritedEnv } from '../../clock/inherited-env.ts';
import { installedUnleash } from '../install/prepare/prepare-unleash.ts';
import {
  type Engine,
  StackError,
  answersOk,
  filesOf,
  launchEngine,
  listenOnce,
  runProgram,
  stopRecorded,
} from '#tooling/stack';

export type UnleashOptions = {
  readonly directory: string;
  readonly port: number;
  readonly name?: string;
  /** Its own database, empty or from an earlier start. */
  readonly databaseUrl: string;
  /**
   * Secrets that it knows from its first start: `*:*.secret` for admin, `project:environment.secret` for the others.
   */
  readonly secrets: UnleashSecrets;
  /** A module that runs before Unleash. */
  readonly preload?: string;
};

export type UnleashSecrets = {
  readonly admin: string;
  readonly client: readonly string[];
  readonly frontend: readonly string[];
};

/** A real Unleash. The first start in a database runs its migrations. */
export async function startUnleash(options: UnleashOptions): Promise<Engine> {
  const { directory, port, name = 'unleash', preload } = options;
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  await listenOnce(port);
  await mkdir(files.data, { recursive: true });
  const server = path.join(installedUnleash, 'node_modules/unleash-server/dist/server.js');
  if (!existsSync(server)) throw new StackError('not-installed', 'Unleash is missing: make test-unleash');
  const address = `http://127.0.0.1:${port}`;
  return launchEngine({
    name,
    title: 'Unleash',
    address,
    directory,
    command: findNode(),
    // Unleash ignores further arguments. This one distinguishes its process from others.
    args: [...(preload === undefined ? [] : [`--import=${preload}`]), server, files.data],
    options: { cwd: files.data, env: environmentOf(address, options) },
    mark: files.data,
    isReady: () => answersOk(`${address}/health`),
    stopSignal: 'SIGTERM',
  });
}

/** Far more than the few seconds that an idle machine takes. */
const MIGRATION_MS = 10 * 60_000;

/** Runs the migrations of Unleash in a database of the role `flagmeter`, as its first start there would. */
export async function migrateUnleash(databaseUrl: string): Promise<void> {
  const migrator = path.join(installedUnleash, 'node_modules/unleash-server/dist/migrator.js');
  const { hostname: host, port, username: user, password, pathname } = new URL(databaseUrl);
  const db = { driver: 'postgres', schema: 'public', ssl: false, host, port, user, password };
  const script = `
    const { migrateDb } = await import(${JSON.stringify(migrator)});
    await migrateDb({ db: ${JSON.stringify({ ...db, database: pathname.slice(1) })} });
    process.exit();`;
  await runProgram(findNode(), {
    args: ['--input-type=module', '--eval', script],
    timeoutMs: MIGRATION_MS,
    cwd: installedUnleash,
  });
}

/** The Node of npm's package for this platform. */
function findNode(): string {
  const modules = path.join(installedUnleash, 'node_modules');
  const packages = existsSync(modules) ? readdirSync(modules) : [];
  const node = packages
    .filter((name) => /^node-.*(linux|darwin)-/.test(name))
    .map((name) => path.join(modules, name, 'bin/node'))
    .find((file) => existsSync(file));
  if (node === undefined)
    throw new StackError('not-installed', 'The Node of Unleash is missing: make test-unleash');
  return node;
}

/** The whole environment of Unleash. It contains no setting of ours, and Unleash contacts no other server. */
function environmentOf(address: string, { port, databaseUrl, secrets }: UnleashOptions): NodeJS.ProcessEnv {
  return {
    ...inheritedEnv(),
    // Its many modules cost a second of CPU at each start.
    NODE_COMPILE_CACHE: path.join(installedUnleash, 'compile-cache'),
    NODE_ENV: 'production',
    TZ: 'UTC',
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: String(port),
    UNLEASH_URL: address,
    DATABASE_URL: databaseUrl,
    DATABASE_SSL: 'false',
    LOG_LEVEL: 'warn',
    CHECK_VERSION: 'false',
    SEND_TELEMETRY: 'false',
    UNLEASH_DEFAULT_ADMIN_PASSWORD: secrets.admin,
    INIT_ADMIN_API_TOKENS: secrets.admin,
    INIT_CLIENT_API_TOKENS: secrets.client.join(','),
    INIT_FRONTEND_API_TOKENS: secrets.frontend.join(','),
  };
}
