import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type StackAddresses, cleanStack, upStack } from '../../../tools/stack/index.ts';
import { CURIOUS_QUERIES, STRANGERS, isAnswered } from '../../support/attacks/engine-ports.ts';

const local = path.resolve(import.meta.dirname, '../../../.local');

describe('a stranger who reaches the ports of the local engines', () => {
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

  it('reads no file and no stored data through ClickHouse, and changes nothing', async () => {
    const { CLICKHOUSE_URL: url } = addresses;
    for (const query of CURIOUS_QUERIES)
      for (const stranger of STRANGERS) expect(await isAnswered(url, query, stranger), query).to.equal(false);
    const { CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password } = addresses;
    expect(await isAnswered(url, 'select 1', { user, password })).to.equal(true);
  });

  it('cannot log in to Postgres, least of all as the superuser, who may run programs', async () => {
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

  async function isLetIn(user: string, password: string): Promise<boolean> {
    const { port } = new URL(addresses.DATABASE_URL);
    const server = { host: '127.0.0.1', port: Number(port), database: 'postgres' };
    const client = new pg.Client({ ...server, user, password });
    client.on('error', () => undefined); // the lines below report the rejection
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
