import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type StackAddresses, cleanStack, upStack } from '../../infra/stack/index.ts';

const local = path.resolve(import.meta.dirname, '../../.local');

describe('whoever reaches the ports of the local engines', () => {
  let directory: string;
  let addresses: StackAddresses;

  before(async () => {
    await mkdir(local, { recursive: true });
    directory = await mkdtemp(path.join(local, 'stack-test-'));
    addresses = await upStack({ directory, freePorts: true, report: () => undefined });
  });
  after(async () => {
    await cleanStack(directory);
    await rm(directory, { recursive: true });
  });

  it('reads no file and nothing stored through ClickHouse, and changes nothing', async () => {
    for (const query of [
      `select * from file('/etc/passwd', 'LineAsString')`,
      `select * from url('http://127.0.0.1:1/', 'CSV', 'a String')`,
      'select query from system.processes',
      'create database stranger',
      'create temporary table t (a String) engine = Memory',
      'kill query where 1',
      'select 1 settings max_memory_usage = 0',
    ]) {
      expect(await isAnswered(query), query).to.equal(false);
      expect(await isAnswered(query, { user: 'owner', password: '' }), query).to.equal(false);
      expect(await isAnswered(query, { user: 'analyst', password: 'guess' }), query).to.equal(false);
    }
    const { CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password } = addresses;
    expect(await isAnswered('select 1', { user, password })).to.equal(true);
  });

  it('gets into Postgres as nobody, least of all as the superuser, who may run programs', async () => {
    const own = new URL(addresses.DATABASE_URL);
    expect(await isLetIn(own.username, own.password)).to.equal(true);
    expect(await isLetIn('postgres', own.password)).to.equal(false);
    for (const user of ['postgres', 'flagmeter'])
      for (const password of ['', 'guess']) expect(await isLetIn(user, password), user).to.equal(false);
  });

  it('finds the passwords in no file that others may read', async () => {
    for (const file of ['stack.env', 'passwords.env'])
      expect((await stat(path.join(directory, file))).mode & 0o777, file).to.equal(0o600);
  });

  async function isAnswered(
    query: string,
    { user = '', password = '' }: { readonly user?: string; readonly password?: string } = {},
  ): Promise<boolean> {
    const headers = new Headers({ connection: 'close' });
    if (user !== '') headers.set('x-clickhouse-user', user);
    if (user !== '') headers.set('x-clickhouse-key', password);
    const answer = await fetch(addresses.CLICKHOUSE_URL, { method: 'POST', body: query, headers });
    await answer.arrayBuffer();
    return answer.ok;
  }

  async function isLetIn(user: string, password: string): Promise<boolean> {
    const { port } = new URL(addresses.DATABASE_URL);
    const server = { host: '127.0.0.1', port: Number(port), database: 'postgres' };
    const client = new pg.Client({ ...server, user, password });
    client.on('error', () => undefined); // refused, told below
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  }
});
