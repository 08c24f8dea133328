import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type PostgresAccess, readConfig } from '#base/runtime';
import { freePort, migrateUnleash, prepareUnleash, startUnleash } from '../../../../tools/stack/index.ts';
import { eventually } from '../../eventually.ts';
import { untilEndOfFile } from '../../left-behind.ts';
import { type OwnEngine, own } from './own-engines.ts';
import { stackEnv } from './stack-addresses.ts';
import { addressOf, copyTemplate, createDatabase, dropDatabase, hashOf } from './world-databases.ts';

/** A real Unleash that belongs to one test file, with its own database on the stack's Postgres. */
export type OwnUnleash = OwnEngine & {
  readonly databaseUrl: string;
  /** Tokens that it knows from its start. */
  readonly secrets: {
    readonly admin: string;
    readonly production: string;
    readonly development: string;
    readonly frontend: string;
  };
  /** Calls its admin API as an administrator. Throws unless the call succeeds. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** A feature of the project default that is on in production. */
  createFeature(name: string, strategies?: readonly Strategy[]): Promise<void>;
  /** Resolves when clients get this feature of production: Unleash gives them what is new within about a second. */
  untilServed(name: string): Promise<void>;
  createToken(token?: Partial<NewUnleashToken>): Promise<string>;
  deleteToken(secret: string): Promise<void>;
};

/** Its name changes with the version of Unleash, because a stack outlives the runs of single tests. */
const TEMPLATE = `unleash_template_${hashOf('tools/stack/manifests/unleash', 'package-lock.json')}`;

type Strategy = {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly constraints?: readonly unknown[];
  readonly variants?: readonly unknown[];
};

type NewUnleashToken = {
  readonly type: 'backend' | 'client' | 'frontend' | 'admin';
  readonly environment: string;
  readonly projects: readonly string[];
};

/** `production` is the secret of its client token for that environment. */
export async function ownUnleash(known: { readonly production?: string } = {}): Promise<OwnUnleash> {
  await prepareUnleash(() => undefined);
  const database = await createUnleashDatabase(copyMigrated);
  const random = randomBytes(20).toString('hex');
  const secrets = {
    admin: `*:*.admin${random}`,
    production: `*:production.client${random}`,
    development: `*:development.client${random}`,
    frontend: `*:production.frontend${random}`,
    ...known,
  };
  const port = await freePort();
  const engine = await own((directory) =>
    startUnleash({
      directory,
      port,
      databaseUrl: database.url,
      secrets: {
        admin: secrets.admin,
        client: [secrets.production, secrets.development],
        frontend: [secrets.frontend],
      },
      preload: path.resolve('test/support/stack/preloads/frequent-jobs.ts'),
    }),
  );
  return untilEndOfFile({
    ...engine,
    databaseUrl: database.url,
    secrets,
    ...createAdminApi(engine.address, secrets.admin),
    async untilServed(name) {
      await eventually(
        () => readServedFeatures(engine.address, secrets.production),
        (served) => served.includes(name),
      );
    },
    async dispose() {
      await engine.dispose();
      await database.drop();
    },
  });
}

async function readServedFeatures(address: string, secret: string): Promise<string[]> {
  const response = await fetch(`${address}/api/client/features`, { headers: { authorization: secret } });
  const { features } = (await response.json()) as { features: { name: string }[] };
  return features.map(({ name }) => name);
}

function createAdminApi(
  address: string,
  secret: string,
): Pick<OwnUnleash, 'call' | 'createFeature' | 'createToken' | 'deleteToken'> {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: secret, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Unleash answered ${response.status} to ${method} ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T; // as the caller knows its API
  };
  return {
    call,
    async createFeature(name, strategies = [{ name: 'default', parameters: {} }]) {
      await call('POST', '/api/admin/projects/default/features', { name });
      const inProduction = `/api/admin/projects/default/features/${name}/environments/production`;
      for (const strategy of strategies) await call('POST', `${inProduction}/strategies`, strategy);
      await call('POST', `${inProduction}/on`);
    },
    async createToken(token) {
      const asked = { type: 'backend', environment: 'production', projects: ['*'], ...token };
      const tokenName = `test ${randomBytes(5).toString('hex')}`;
      const created = await call<{ secret: string }>('POST', '/api/admin/api-tokens', {
        ...asked,
        tokenName,
      });
      return created.secret;
    },
    deleteToken: (deleted) => call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(deleted)}`),
  };
}

/** A database for Unleash on the stack's Postgres, empty by default. */
export async function createUnleashDatabase(
  create: typeof createDatabase = createDatabase,
): Promise<{ url: string; drop(): Promise<void> }> {
  const server = readConfig(stackEnv()).postgres;
  const name = `unleash_${randomBytes(5).toString('hex')}`;
  await create(server, name);
  return { url: addressOf(server.url, name), drop: () => dropDatabase(server, name) };
}

/** Its migrations are most of its first start. */
function copyMigrated(server: PostgresAccess, name: string): Promise<void> {
  return copyTemplate(server, name, { template: TEMPLATE, fill: migrateUnleash });
}
