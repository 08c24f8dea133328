import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { openPostgres } from '#postgres';
import { createLog, readConfig } from '#runtime';
import { freePort, prepareUnleash, startUnleash } from '../../../tools/stack/index.ts';
import { untilEndOfFile } from '../processes/left-behind.ts';
import { type OwnEngine, own } from './own-engines.ts';
import { stackEnv } from './stack-addresses.ts';

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
  createToken(token?: Partial<NewUnleashToken>): Promise<string>;
  deleteToken(secret: string): Promise<void>;
};

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
  const database = await createUnleashDatabase();
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
      preload: path.resolve('test/support/preloads/frequent-jobs.ts'),
    }),
  );
  return untilEndOfFile({
    ...engine,
    databaseUrl: database.url,
    secrets,
    ...createAdminApi(engine.address, secrets.admin),
    async dispose() {
      await engine.dispose();
      await database.drop();
    },
  });
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

/** An empty database for Unleash on the stack's Postgres. */
export async function createUnleashDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const stack = stackEnv();
  const name = `unleash_${randomBytes(5).toString('hex')}`;
  const run = async (statement: string): Promise<void> => {
    const access = { ...readConfig(stack).postgres, maxConnections: 1, log: createLog('test', 'fatal') };
    const server = openPostgres(access);
    try {
      await server.query(statement);
    } finally {
      await server.end();
    }
  };
  await run(`create database ${name}`);
  const url = new URL(stack.DATABASE_URL);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => run(`drop database if exists ${name}`) };
}
